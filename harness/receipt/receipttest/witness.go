package receipttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/retrydrill/drill/harness/receipt"
)

// witness keeps what members told, and says what should not have been.
type witness struct {
	mu                    sync.Mutex
	claims, writes, gives []told
	violations            []string
}

// told is one line of a member: a lease that it was given, a write that was
// acknowledged, or one that is about to give the lease back. Times are Unix nanoseconds of the one machine's clock.
type told struct {
	id         string
	fence      int64
	attempt    int
	state      receipt.State
	now, until int64
}

func newWitness() *witness { return &witness{} }

// note takes a whole line; a member that was killed may have left half of one.
func (w *witness) note(line string) {
	var kind string
	var m told
	if n, _ := fmt.Sscan(line, &kind, &m.id, &m.fence, &m.attempt, &m.state, &m.now, &m.until); n != 7 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch kind {
	case "claim":
		w.claims = append(w.claims, m)
	case "gives":
		w.gives = append(w.gives, m)
	case "write":
		w.writes = append(w.writes, m)
	}
}

func (w *witness) violation(format string, args ...any) {
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// compare holds what was told against itself and against the store.
func (w *witness) compare(ctx context.Context, s receipt.Store, actions int) {
	for n := range actions {
		id := fmt.Sprintf("a%d", n)
		r, err := s.Get(ctx, id)
		if err != nil {
			w.violation("%s: %v", id, err)
			continue
		}
		if r.State != receipt.Confirmed {
			w.violation("%s is %s, expected confirmed", id, r.State)
		}
		w.oneHand(r)
		w.noneLost(r)
	}
}

func of(id string, all []told) (out []told) {
	for _, m := range all {
		if m.id == id {
			out = append(out, m)
		}
	}
	return out
}

// oneHand: a fence is given once, a later one only when the lease before it was
// over or given back, and an attempt is written under one fence, a later attempt
// under none older.
func (w *witness) oneHand(r receipt.Receipt) {
	claims, writes := of(r.ActionID, w.claims), of(r.ActionID, w.writes)
	until := map[int64]told{}
	for _, m := range claims {
		if _, twice := until[m.fence]; twice {
			w.violation("%s: fence %d was given twice", m.id, m.fence)
		}
		until[m.fence] = m
	}
	for _, m := range append(of(r.ActionID, w.gives), writes...) {
		if m.attempt >= until[m.fence].attempt {
			until[m.fence] = m
		}
	}
	for _, m := range claims {
		if before, ok := until[m.fence-1]; ok && m.now < before.until {
			w.violation("%s: fence %d was given %d ns before the lease of fence %d was over", m.id, m.fence, before.until-m.now, m.fence-1)
		}
	}
	slices.SortFunc(writes, func(a, b told) int { return a.attempt - b.attempt })
	for i := 1; i < len(writes); i++ {
		a, b := writes[i-1], writes[i]
		if a.attempt == b.attempt {
			w.violation("%s: attempt %d was written twice, under fences %d and %d", a.id, a.attempt, a.fence, b.fence)
		}
		if b.fence < a.fence {
			w.violation("%s: attempt %d was written under fence %d, after attempt %d under fence %d", a.id, b.attempt, b.fence, a.attempt, a.fence)
		}
	}
}

// noneLost: what the store holds is no older than the latest that was acknowledged.
func (w *witness) noneLost(r receipt.Receipt) {
	for _, m := range append(of(r.ActionID, w.claims), of(r.ActionID, w.writes)...) {
		if m.fence > r.Fence || m.attempt > r.Attempt {
			w.violation("%s: fence %d, attempt %d was acknowledged, the store has fence %d, attempt %d", m.id, m.fence, m.attempt, r.Fence, r.Attempt)
		}
	}
	if want := fmt.Sprint(r.Fence, "/", r.Attempt); r.RequestID != want {
		w.violation("%s: the store has the write %s under fence and attempt %s", r.ActionID, r.RequestID, want)
	}
}
