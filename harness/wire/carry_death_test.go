package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

// asked waits for what its request comes to in the background, so that a shell can take a
// signal, and says that it got one.
const asked = `trap 'echo asked; exit 75' TERM; curl -s -m 20 -d '{"thing":"A"}' "$DRILL_TARGET_URL/things" >/dev/null & wait $!; `

// TestStop: the worker is asked to end while it waits, and is killed where it does not.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		line, script, end string
		commits           int
		log               bool
	}{
		{"create#1 request stop 1m", asked, "exit 75", 1, true},
		{"create#1 response stop 1m", asked, "exit 75", 2, true},
		{"create#1 response stop 1m", post, "signal SIGTERM", 2, false},
		{"create#1 response stop 40ms", `trap '' TERM; ` + post, "signal SIGKILL", 2, false},
	} {
		t.Run(c.line+" "+c.end, func(t *testing.T) {
			r := newRig(t, nil)
			began := time.Now()
			h, shop := r.run(shell(t, c.script+reportDone, c.line))
			fired(t, h)
			require.Less(t, time.Since(began), patience, "nobody waits longer than for the end")
			require.Len(t, events(h, harness.EvFault), 1)
			require.Equal(t, c.commits, shop.count(), kinds(h))
			require.Equal(t, c.end, events(h, harness.EvEnd)[0].Note)
			require.Len(t, events(h, harness.EvReport), 1, "the next life's alone")
			require.Len(t, events(h, harness.EvLost), 1)
			if c.log {
				require.Contains(t, notes(h, harness.EvLog), "asked")
			}
		})
	}
}

// TestKillAfter: the worker hears its answer, and what it does next is not done any more.
func TestKillAfter(t *testing.T) {
	heard := `curl -s -m 20 -d '{"thing":"A"}' "$DRILL_TARGET_URL/things" >"$DRILL_STATE_DIR/heard$DRILL_DELIVERY"; `
	for _, c := range []struct {
		name, then string
		requests   int
	}{
		{"its report", `cat "$DRILL_STATE_DIR/heard1" >&2; ` + reportDone + `; [ "$DRILL_DELIVERY" != 1 ] || sleep 60`, 2},
		{"its next request", `cat "$DRILL_STATE_DIR/heard1" >&2; ` + post + reportDone, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			h, _ := r.run(shell(t, heard+c.then, "create#1 response kill-after"))
			fired(t, h)
			require.Len(t, events(h, harness.EvFault), 1)
			require.Equal(t, "signal SIGKILL", events(h, harness.EvEnd)[0].Note)
			require.Len(t, events(h, harness.EvRequest), c.requests, "nothing of the first life after its answer")
			require.Len(t, events(h, harness.EvReport), 1)
			require.Equal(t, 2, events(h, harness.EvReport)[0].Incarnation)
			require.Contains(t, notes(h, harness.EvLog), `{"id":"thing"}`, "it had the whole answer")
		})
	}
}

func request(t *testing.T, ctx context.Context, env worker.Env) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, env.TargetURL+"/things", strings.NewReader(letter))
	require.NoError(t, err)
	return r
}

// TestCancel: whoever waits for the executor gives up while that waits for an answer, and
// the same life gets the next delivery.
func TestCancel(t *testing.T) {
	for line, commits := range map[string]int{"create#1 request cancel": 1, "create#1 response cancel": 2} {
		t.Run(line, func(t *testing.T) {
			var got []error
			r := newRig(t, map[string]worker.Func{"it": func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				resp, err := env.HTTP.Do(request(t, ctx, env))
				got = append(got, err)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
				return err
			}})
			h, shop := r.run(schedule(t, "func", "it", line))
			fired(t, h)
			require.Len(t, events(h, harness.EvFault), 1)
			require.Len(t, got, 2)
			require.Error(t, got[0])
			require.NoError(t, got[1])
			require.Equal(t, harness.FailGaveUp, events(h, harness.EvHeard)[0].Failure)
			require.Equal(t, commits, shop.count())
			d := events(h, harness.EvDeliver)
			require.Equal(t, []int{1, 1}, []int{d[0].Incarnation, d[1].Incarnation}, "the worker lives")
		})
	}
	r := newRig(t, nil)
	_, err := r.Run(t.Context(), shell(t, post, "create#1 response cancel"))
	require.True(t, errors.Is(err, wire.ErrNoCaller), "%v", err)
}
