package tap

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// Room is what one history is made in: its events, and what they point to. It belongs to
// the history as long as anybody reads that, and serves another one afterwards.
type Room struct {
	// events are empty beyond their number.
	events    []harness.Event
	effects   reuse.Rows[harness.Effect]
	records   reuse.Rows[harness.Recorded]
	reports   reuse.Rows[harness.Report]
	delivered reuse.Rows[harness.Delivered]
	actions   reuse.Rows[harness.DeliveredAction]
}

// empty makes it that of another history.
func (m *Room) empty() {
	clear(m.events)
	m.events = m.events[:0]
	m.effects.Reset()
	m.records.Reset()
	m.reports.Reset()
	m.delivered.Reset()
	m.actions.Reset()
}
