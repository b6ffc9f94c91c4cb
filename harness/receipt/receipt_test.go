package receipt_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	receipttest.Run(t, func(*testing.T) receipt.Books { return receipt.NewMemory() })
}

// TestAnEmptiedMemoryIsAsANewOne: nothing of the few or the many that it held shines
// through.
func TestAnEmptiedMemoryIsAsANewOne(t *testing.T) {
	for _, n := range []int{1, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			receipttest.Run(t, func(t *testing.T) receipt.Books {
				m := receipt.NewMemory()
				for i := range n {
					c := receipt.Claim{ActionID: fmt.Sprint("act_", i), TriggerKey: fmt.Sprint("t", i), Covered: true,
						Approval: harness.Approval{ID: fmt.Sprint("approval-", i), SingleUse: true}, Owner: "w9", Lease: time.Hour, Now: time.Unix(0, 0)}
					_, _, err := m.Claim(t.Context(), c)
					require.NoError(t, err)
				}
				m.Reset()
				m.Texts(1, func(s string) { t.Errorf("%q is left", s) })
				return m
			})
		})
	}
}

// TestEachLifeHasItsGuard: that of one that is over does not answer for the next.
func TestEachLifeHasItsGuard(t *testing.T) {
	m := receipt.NewMemory()
	for range 2 {
		first, second := &living{}, &living{}
		one, other := receipt.Guarded(m, first), receipt.Guarded(m, second)
		first.err = io.ErrClosedPipe
		_, err := one.Get(t.Context(), "A")
		require.ErrorIs(t, err, io.ErrClosedPipe)
		_, err = other.Get(t.Context(), "A")
		require.ErrorIs(t, err, receipt.ErrMissing)
		m.Reset()
	}
}

type living struct{ err error }

func (l *living) Alive() error { return l.err }

func TestTransitions(t *testing.T) {
	from, to := map[receipt.State]bool{}, map[receipt.State]bool{receipt.Prepared: true}
	seen := map[[2]receipt.State]bool{}
	for _, m := range receipt.Transitions {
		move := [2]receipt.State{m.From, m.To}
		assert.False(t, seen[move], "%v is listed twice", move)
		seen[move] = true
		from[m.From], to[m.To] = true, true
		assert.NotEqual(t, m.From, m.To)
		assert.NotEmpty(t, m.Why)
	}
	for _, s := range receipt.States {
		assert.True(t, to[s], "nothing leads to %s", s)
		assert.Equal(t, s != receipt.Confirmed, from[s], "the way on from %s", s)
	}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to receipt.State
		want     bool
	}{
		{receipt.Confirmed, receipt.Sent, false},
		{receipt.Confirmed, receipt.Confirmed, false},
		{receipt.Rejected, receipt.Sent, false},
		{receipt.Prepared, receipt.Sent, false},
		{receipt.Unknown, receipt.Approved, false},
		{receipt.Sent, receipt.Sent, true},
		{receipt.Unknown, receipt.Sent, true},
		{receipt.Rejected, receipt.Approved, true},
		{"nonsense", "nonsense", false},
	} {
		assert.Equal(t, c.want, receipt.Allowed(c.from, c.to), "%s to %s", c.from, c.to)
	}
}
