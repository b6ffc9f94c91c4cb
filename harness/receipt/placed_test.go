package receipt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
)

// TestAnyStoreIsPlaced: by what every store can do it looks, takes and puts as one does
// that can do so itself.
func TestAnyStoreIsPlaced(t *testing.T) {
	in := receipt.NewMemory()
	require.Same(t, in, receipt.Placed(in), "what can is left alone")
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		own := receipt.NewMemory()
		placed := receipt.Placed(struct{ receipt.Store }{receipt.NewMemory()})
		for range rapid.IntRange(1, 8).Draw(rt, "claims") {
			c := receipttest.NewClaim(rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "action"), rapid.IntRange(1, 2).Draw(rt, "n"))
			c.Covered = rapid.Bool().Draw(rt, "covered")
			c.Approval.SingleUse = rapid.Bool().Draw(rt, "single use")
			c.Now = c.Now.Add(rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(rt, "later"))
			var looked, took [2]receipt.Decision
			var bad [2][3]error
			for i, s := range []receipt.InPlace{own, placed} {
				bad[i][0] = s.Look(ctx, &c, &looked[i])
				took[i] = looked[i]
				if bad[i][1] = s.Take(ctx, &c, &took[i]); bad[i][1] == nil && took[i].Receipt.State == receipt.Approved {
					bad[i][2] = s.Put(ctx, receipt.Approved, took[i].Receipt.Move(receipt.Rejected, c.Now))
				}
			}
			require.Equal(rt, bad[0], bad[1])
			require.Equal(rt, looked[0].Receipt, looked[1].Receipt)
			require.Equal(rt, [2]bool{looked[0].Write, looked[0].Fresh}, [2]bool{looked[1].Write, looked[1].Fresh})
			require.Equal(rt, took[0].Receipt, took[1].Receipt)
			require.Equal(rt, took[0].Fresh, took[1].Fresh)
		}
	})
}
