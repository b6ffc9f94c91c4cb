package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestParity draws calls and requires of the file what the map answers. Each check
// has names of its own in one file.
func TestParity(t *testing.T) {
	file, memory := open(t, filepath.Join(t.TempDir(), "receipts.db")), receipt.NewMemory()
	defer file.Close()
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++
		now := receipttest.Start
		ids := []string{fmt.Sprint("a", checks), fmt.Sprint("b", checks)}
		held := map[string]receipt.Receipt{}
		for range rapid.IntRange(1, 12).Draw(rt, "calls") {
			id := rapid.SampledFrom(ids).Draw(rt, "action")
			now = now.Add(time.Duration(rapid.IntRange(0, 2).Draw(rt, "half leases")) * receipttest.Lease / 2)
			if r, ok := held[id]; ok && rapid.Bool().Draw(rt, "write") {
				next := r.To(rapid.SampledFrom(receipt.States).Draw(rt, "state"), now)
				want := memory.Write(t.Context(), r.State, next)
				same(rt, want, file.Write(t.Context(), r.State, next))
				if want == nil {
					held[id] = next
				}
				continue
			}
			c := receipttest.NewClaim(id, rapid.IntRange(1, 2).Draw(rt, "amount"))
			c.TriggerKey, c.Now = ids[0], now
			c.Covered = rapid.Bool().Draw(rt, "covered")
			c.Approval.ID = rapid.SampledFrom(ids).Draw(rt, "approval")
			c.Ordinal = rapid.IntRange(0, 1).Draw(rt, "ordinal")
			want, fresh, err := memory.Claim(t.Context(), c)
			got, freshToo, errToo := file.Claim(t.Context(), c)
			same(rt, err, errToo)
			require.Equal(rt, want, got)
			require.Equal(rt, fresh, freshToo)
			if err == nil {
				held[got.ActionID] = got
			}
		}
		for _, id := range ids {
			want, err := memory.Get(t.Context(), id)
			got, errToo := file.Get(t.Context(), id)
			same(rt, err, errToo)
			require.Equal(rt, want, got)
		}
	})
}

// same requires two errors of one kind.
func same(t require.TestingT, want, got error) {
	for _, kind := range []error{nil, receipt.ErrNotApproved, receipt.ErrSpent, receipt.ErrHeld, receipt.ErrChanged,
		receipt.ErrStale, receipt.ErrTransition, receipt.ErrMissing} {
		if kind == nil {
			require.Equal(t, want == nil, got == nil, "want %v, got %v", want, got)
			continue
		}
		if want != nil {
			require.Equal(t, errors.Is(want, kind), errors.Is(got, kind), "want %v, got %v", want, got)
		}
	}
}
