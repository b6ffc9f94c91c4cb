package receipttest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness/receipt"
)

// Parity draws calls and requires of an empty store what the map answers. Each
// check has names of its own in it.
func Parity(t *testing.T, s receipt.Books) {
	memory := receipt.NewMemory()
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++
		ids := []string{fmt.Sprint("a", checks), fmt.Sprint("b", checks)}
		now, held := Start, map[string]receipt.Receipt{}
		for range rapid.IntRange(1, 12).Draw(rt, "calls") {
			id := rapid.SampledFrom(ids).Draw(rt, "action")
			now = now.Add(time.Duration(rapid.IntRange(0, 2).Draw(rt, "half leases")) * Lease / 2)
			if r, ok := held[id]; ok && rapid.IntRange(0, 3).Draw(rt, "archive") == 0 {
				same(rt, memory.Archive(t.Context(), r, now), s.Archive(t.Context(), r, now))
				continue
			}
			if r, ok := held[id]; ok && rapid.Bool().Draw(rt, "write") {
				next := r.To(rapid.SampledFrom(receipt.States).Draw(rt, "state"), now)
				want := memory.Write(t.Context(), r.State, next)
				same(rt, want, s.Write(t.Context(), r.State, next))
				if want == nil {
					held[id] = next
				}
				continue
			}
			c := drawClaim(rt, id, ids)
			c.Now = now
			want, fresh, err := memory.Claim(t.Context(), c)
			got, freshToo, errToo := s.Claim(t.Context(), c)
			same(rt, err, errToo)
			require.Equal(rt, want, got)
			require.Equal(rt, fresh, freshToo)
			if err == nil {
				held[got.ActionID] = got
			}
		}
		sameLookUps(t, rt, memory, s, ids)
	})
	sameBooks(t, memory, s)
}

func drawClaim(rt *rapid.T, id string, ids []string) receipt.Claim {
	c := NewClaim(id, rapid.IntRange(1, 2).Draw(rt, "amount"))
	c.TriggerKey = rapid.SampledFrom(ids).Draw(rt, "trigger")
	c.Covered = rapid.Bool().Draw(rt, "covered")
	c.Approval.ID = rapid.SampledFrom(ids).Draw(rt, "approval")
	c.Approval.SingleUse = rapid.Bool().Draw(rt, "single use")
	c.Ordinal = rapid.IntRange(0, 1).Draw(rt, "ordinal")
	return c
}

// sameLookUps asks both for everything under the names: of actions, triggers and
// approvals alike.
func sameLookUps(t *testing.T, rt *rapid.T, memory, s receipt.Books, ids []string) {
	for _, id := range ids {
		want, err := memory.Get(t.Context(), id)
		got, errToo := s.Get(t.Context(), id)
		same(rt, err, errToo)
		require.Equal(rt, want, got)
		wantAll, err := memory.ByTrigger(t.Context(), id)
		require.NoError(rt, err)
		gotAll, err := s.ByTrigger(t.Context(), id)
		require.NoError(rt, err)
		require.Equal(rt, len(wantAll), len(gotAll))
		for i := range wantAll {
			require.Equal(rt, wantAll[i], gotAll[i])
		}
		wantBy, err := memory.UsedBy(t.Context(), id)
		require.NoError(rt, err)
		gotBy, err := s.UsedBy(t.Context(), id)
		require.NoError(rt, err)
		require.Equal(rt, wantBy, gotBy)
	}
}

// sameBooks reads both stores whole, without and within the archive.
func sameBooks(t *testing.T, memory, s receipt.Books) {
	for _, archived := range []bool{false, true} {
		q := receipt.Query{Archived: archived}
		require.Equal(t, listed(t, memory, q), listed(t, s, q))
	}
}

func listed(t *testing.T, s receipt.Books, q receipt.Query) (out []receipt.Receipt) {
	t.Helper()
	require.NoError(t, s.Each(t.Context(), q, func(r receipt.Receipt) error {
		out = append(out, r)
		return nil
	}))
	return out
}

// same requires two errors of one kind.
func same(t require.TestingT, want, got error) {
	require.Equal(t, want == nil, got == nil, "want %v, got %v", want, got)
	for _, kind := range []error{receipt.ErrNotApproved, receipt.ErrSpent, receipt.ErrHeld, receipt.ErrChanged,
		receipt.ErrStale, receipt.ErrTransition, receipt.ErrMissing, receipt.ErrOpen} {
		require.Equal(t, errors.Is(want, kind), errors.Is(got, kind), "want %v, got %v", want, got)
	}
}
