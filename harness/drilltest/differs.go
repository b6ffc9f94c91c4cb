package drilltest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// twice is a world in which one schedule has one history.
type twice interface {
	// differs carries a history's schedule out again, and says where the two are not
	// the same; it is empty where they are.
	differs(ctx context.Context, h *harness.History) string
}

// differs implements twice.
func (w *virtual) differs(ctx context.Context, h *harness.History) string {
	second, err := w.Run(ctx, h.Schedule)
	if err != nil {
		return fmt.Sprintf("it could not be carried out again: %v", err)
	}
	for i := range min(len(h.Events), len(second.Events)) {
		if one, other := line(h.Events[i]), line(second.Events[i]); one != other {
			return fmt.Sprintf("event %d was\n         %s\n       and then\n         %s", i+1, one, other)
		}
	}
	if len(h.Events) != len(second.Events) {
		return fmt.Sprintf("there were %d events, and then %d", len(h.Events), len(second.Events))
	}
	return ""
}

func line(e harness.Event) string {
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// notReproducible is told of an executor that does not do the same in the same
// situation, with how the two differ.
const notReproducible = "not reproducible: two runs of one schedule differ, as an executor's do that draws random numbers, ranges over maps or races with itself:\n       "
