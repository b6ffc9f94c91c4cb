package receipttest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
)

// Life leads a new receipt through its whole life: claimed and approved, sent,
// confirmed, in three commits.
func Life(ctx context.Context, s receipt.Store, n int) error {
	r, _, err := s.Claim(ctx, NewClaim(fmt.Sprint(n), n))
	if err != nil {
		return err
	}
	return life(ctx, s, r, Start)
}

// InTurns runs both sides of a benchmark b.N times, one after the other, and
// reports the medians and their ratio.
func InTurns(b *testing.B, ours, bare func(n int) error) {
	var took [2][]time.Duration
	for n := 0; b.Loop(); n++ {
		for i, f := range []func(int) error{ours, bare} {
			start := time.Now()
			if err := f(n); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds())
	}
	o, p := median(took[0]), median(took[1])
	b.ReportMetric(o, "ours-µs")
	b.ReportMetric(p, "bare-µs")
	b.ReportMetric(o/p, "ours/bare")
}
