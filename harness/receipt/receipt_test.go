package receipt_test

import (
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	receipttest.Run(t, func(*testing.T) receipt.Books { return receipt.NewMemory() })
}

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
