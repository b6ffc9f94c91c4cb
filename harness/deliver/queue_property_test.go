package deliver_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
)

// TestOneHandOverAWorker: whatever the lines are, and whatever comes of the hand-overs, a
// worker is at one of them at a time, and the queue comes to its end.
func TestOneHandOverAWorker(t *testing.T) {
	how := []string{"deliver#%d times 2", "deliver#%d times 3", "deliver#%d at create#1 request", "deliver#%d after 1s", "deliver#%d recover", "deliver#%d brings B",
		"deliver#%d brings A, B", "deliver#%d elsewhere", "ack#%d expire", "ack#%d lose", "ack#%d late"}
	ends := []struct {
		heard deliver.Heard
		died  bool
	}{{}, {}, {heard: deliver.Heard{Nack: "failed"}}, {heard: deliver.Heard{Nack: "failed"}, died: true},
		{heard: deliver.Heard{Nack: "waiting", Waits: true}}, {heard: deliver.Heard{Nack: "waiting", Waits: true, Parks: true}}}
	rapid.Check(t, func(r *rapid.T) {
		var lines []string
		for range rapid.IntRange(0, 4).Draw(r, "lines") {
			lines = append(lines, fmt.Sprintf(rapid.SampledFrom(how).Draw(r, "how"), rapid.IntRange(1, 4).Draw(r, "number")))
		}
		s := schedule(t, lines...)
		if s.Validate() != nil {
			return
		}
		c := &clock{deliver.NewQueue(s), t, 0, map[string]bool{"create#1 request": rapid.Bool().Draw(r, "happened")}}
		var atWork []*deliver.Hand
		for n := 0; !c.Done(); n++ {
			require.Less(r, n, 5000)
			h, wait, err := c.Next(c.now, func(w harness.Where) bool { return c.happened[w.String()] })
			require.NoError(r, err)
			if h != nil {
				require.False(r, slices.ContainsFunc(atWork, func(o *deliver.Hand) bool { return o.Worker == h.Worker }), "worker %d is at work", h.Worker)
				atWork = append(atWork, h)
				continue
			}
			c.now += max(wait.For, time.Millisecond)
			if len(atWork) == 0 {
				require.NotZero(r, wait.For, "nothing is at work, and nothing waited for")
				continue
			}
			i := rapid.IntRange(0, len(atWork)-1).Draw(r, "whose")
			h = atWork[i]
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				c.now += time.Second
				c.Expire(h, c.now)
			case 1:
				f, err := harness.ParseFault("event#1 " + rapid.SampledFrom([]string{"twice", "early", "foreign", "late", "lose", "new-id"}).Draw(r, "notice"))
				require.NoError(r, err)
				c.Tell(harness.Notice{ID: "evt_1", Resource: "thing_1"}, &f, c.now)
			default:
				atWork = slices.Delete(atWork, i, i+1)
				end := rapid.SampledFrom(ends).Draw(r, "end")
				c.end(h, end.heard, end.died)
				h.Over()
			}
		}
		require.Empty(r, atWork)
	})
}
