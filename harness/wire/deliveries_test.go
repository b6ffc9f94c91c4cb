package wire_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

const (
	reportDone   = `echo '{"action_id":"act-A","outcome":"done","resource_id":"thing"}'`
	reportReview = `echo '{"action_id":"act-A","outcome":"needs_review"}'`
	reportWait   = `echo '{"action_id":"act-A","outcome":"waiting","waits_for":"worker"}'`
	post         = `curl -s -m 20 -d '{"thing":"A"}' "$DRILL_TARGET_URL/things" >/dev/null; `
)

// shell is a schedule whose worker is a line of shell.
func shell(t *testing.T, script string, lines ...string) harness.Schedule {
	t.Helper()
	s := schedule(t, "exec", "", lines...)
	s.Executor.Command = []string{"sh", "-c", script}
	s.Limits.Lease = harness.Duration(20 * time.Millisecond)
	return s
}

func notes(h *harness.History, k harness.EventKind) (out []string) {
	for _, e := range events(h, k) {
		out = append(out, e.Note)
	}
	return out
}

// TestAcknowledgement: a report acknowledges its delivery iff the worker exits with
// 0, says done or rejected of each action, and is not lost.
func TestAcknowledgement(t *testing.T) {
	first := func(script, then string) string {
		return fmt.Sprintf(`if [ -e "$DRILL_STATE_DIR/f" ]; then %s; else touch "$DRILL_STATE_DIR/f"; %s; fi`, then, script)
	}
	for _, c := range []struct{ name, script, nack string }{
		{"done", reportDone, ""},
		{"rejected", `echo '{"action_id":"act-A","outcome":"rejected"}'`, ""},
		{"a log line is no report", `echo hello; echo '{"a":1}'; ` + reportDone, ""},
		{"exit 1", first(reportDone+"; exit 1", reportDone), "failed: exit 1"},
		{"nothing printed", first("true", reportDone), "no report for A"},
		{"two reports", first(reportDone+"; "+reportReview, reportDone), "two reports for one action"},
		{"another's action", first(`echo '{"action_id":"act-B","outcome":"done"}'; `+reportDone, reportDone), "a report for an action that was not handed over"},
		{"an outcome that is none", first(`echo '{"action_id":"act-A","outcome":"fine"}'`, reportDone), "a report that is none"},
		{"waiting", first(reportWait, reportDone), "waiting"},
		{"review", first(reportReview, reportDone), "needs review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			h, _ := r.run(shell(t, c.script))
			require.Len(t, events(h, harness.EvAck), 1, kinds(h))
			require.Empty(t, events(h, harness.EvBound))
			if c.nack == "" {
				require.Empty(t, notes(h, harness.EvNack))
				return
			}
			require.Equal(t, []string{c.nack}, notes(h, harness.EvNack))
			d := events(h, harness.EvDeliver)
			require.Len(t, d, 2)
			require.Equal(t, []int{1, 2}, []int{d[0].Delivery, d[1].Delivery})
			require.Equal(t, d[0].Worker, d[1].Worker, "the same slot")
			require.GreaterOrEqual(t, d[1].At-d[0].At, harness.Duration(h.Schedule.Limits.Visibility()))
		})
	}
}

// TestDeliveriesAreUsedUp: needs_review is final after the last delivery; a worker
// that fails for ever hits a bound.
func TestDeliveriesAreUsedUp(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(shell(t, reportReview))
	require.Len(t, events(h, harness.EvDeliver), 5)
	require.Empty(t, events(h, harness.EvBound))
	h, _ = r.run(shell(t, "exit 3"))
	require.Len(t, events(h, harness.EvDeliver), 5)
	require.Equal(t, []string{"deliveries"}, notes(h, harness.EvBound))
}

// TestKillAndRedelivery: the worker is SIGKILLed at the exact place, and gets its
// delivery again at once, in the same slot, with the same URL and state directory.
func TestKillAndRedelivery(t *testing.T) {
	for _, c := range []struct {
		line    string
		commits int
	}{
		{"create#1 request kill", 1}, {"create#1 response kill", 2}, {"report#1 kill", 2}, {"report#1 lose", 2},
	} {
		t.Run(c.line, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			script := `echo "$DRILL_TARGET_URL $DRILL_STATE_DIR $DRILL_DELIVERY" >>` + out + "; " + post + reportDone
			if strings.HasSuffix(c.line, "kill") {
				// It does not end by itself before it is killed.
				script += `; [ "$DRILL_DELIVERY" != 1 ] || sleep 60`
			}
			r := newRig(t, nil)
			h, shop := r.run(shell(t, script, c.line))
			fired(t, h)
			require.Equal(t, c.commits, shop.count())
			b, err := os.ReadFile(out)
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(b)), "\n")
			require.Len(t, lines, 2)
			require.True(t, strings.HasSuffix(lines[0], " 1") && strings.HasSuffix(lines[1], " 2"), lines)
			require.Equal(t, strings.TrimSuffix(lines[0], " 1"), strings.TrimSuffix(lines[1], " 2"))
			if strings.HasSuffix(c.line, "kill") {
				require.Equal(t, "signal SIGKILL", events(h, harness.EvEnd)[0].Note)
				d := events(h, harness.EvDeliver)
				require.Equal(t, []int{1, 2}, []int{d[0].Incarnation, d[1].Incarnation})
			}
		})
	}
}

// TestElsewhere: another machine has an empty state directory.
func TestElsewhere(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(shell(t, `ls "$DRILL_STATE_DIR" | wc -l; touch "$DRILL_STATE_DIR/f"; `+reportDone, "deliver#2 elsewhere"))
	fired(t, h)
	require.Equal(t, []string{"0", "0"}, trimmed(notes(h, harness.EvLog)))
	h, _ = r.run(shell(t, `ls "$DRILL_STATE_DIR" | wc -l; touch "$DRILL_STATE_DIR/f"; `+reportDone, "deliver#2 respell"))
	require.Equal(t, []string{"0", "1"}, trimmed(notes(h, harness.EvLog)))
}

func trimmed(in []string) (out []string) {
	for _, s := range in {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

// TestWhatADeliveryCarries: each deliver line shapes the job, and nothing else.
func TestWhatADeliveryCarries(t *testing.T) {
	for _, c := range []struct {
		line string
		want func(t *testing.T, a, b harness.DeliveredAction, ta, tb string)
	}{
		{"deliver#2 change", func(t *testing.T, a, b harness.DeliveredAction, _, _ string) {
			require.Equal(t, a.ID, b.ID)
			require.NotEqual(t, a.Digest, b.Digest)
			require.Equal(t, a.Approval, b.Approval)
			require.False(t, b.Covered)
		}},
		{`deliver#2 change /thing="more"`, func(t *testing.T, a, b harness.DeliveredAction, _, _ string) {
			require.NotEqual(t, a.Digest, b.Digest)
		}},
		{"deliver#2 respell", func(t *testing.T, a, b harness.DeliveredAction, _, _ string) {
			require.Equal(t, a, b)
		}},
		{"deliver#2 new-trigger", func(t *testing.T, a, b harness.DeliveredAction, ta, tb string) {
			require.Equal(t, a, b)
			require.NotEqual(t, ta, tb)
		}},
		{"deliver#2 new-action", func(t *testing.T, a, b harness.DeliveredAction, ta, tb string) {
			require.Equal(t, ta, tb)
			require.NotEqual(t, a.ID, b.ID)
			require.Equal(t, a.Name, b.As)
			require.Equal(t, a.Digest, b.Digest)
		}},
		{"deliver#2 approval none", uncovered}, {"deliver#2 approval stale", uncovered}, {"deliver#2 approval denied", uncovered},
		{"deliver#2 approval spent", uncovered}, {"deliver#2 approval of B", uncovered},
		{"deliver#2 re-approve", func(t *testing.T, a, b harness.DeliveredAction, _, _ string) {
			require.Equal(t, a.ID, b.ID)
			require.NotEqual(t, a.Approval.ID, b.Approval.ID)
			require.True(t, b.Covered)
		}},
		{"deliver#2 brings B", func(t *testing.T, a, b harness.DeliveredAction, ta, tb string) {
			require.Equal(t, "B", b.Name)
			require.NotEqual(t, ta, tb)
		}},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := newRig(t, map[string]worker.Func{"echo": func(_ context.Context, _ worker.Env, job worker.Job, report func(harness.Report)) error {
				for _, a := range job.Actions {
					if a.Arguments.Digest() != a.ArgumentsSHA256 {
						return fmt.Errorf("digest of %v", a.Arguments)
					}
					report(harness.Report{ActionID: a.ActionID, Outcome: harness.Done})
				}
				return nil
			}})
			h, _ := r.run(schedule(t, "func", "echo", c.line))
			fired(t, h)
			d := events(h, harness.EvDeliver)
			require.Len(t, d, 2)
			require.Len(t, events(h, harness.EvAck), 2)
			c.want(t, d[0].Deliver.Actions[0], d[1].Deliver.Actions[0], d[0].Deliver.TriggerKey, d[1].Deliver.TriggerKey)
		})
	}
}

func uncovered(t *testing.T, a, b harness.DeliveredAction, _, _ string) {
	require.True(t, a.Covered)
	require.False(t, b.Covered)
	if b.Approval.Status == harness.Granted {
		require.False(t, b.Approval.ID != a.Approval.ID && b.Approval == a.Approval)
	}
}

// TestRendezvous: workers that look first and write then all see nothing, in both
// orders, in every run; the one let go first commits first.
func TestRendezvous(t *testing.T) {
	for _, order := range []string{"forward", "reverse"} {
		t.Run(order, func(t *testing.T) {
			r := newRig(t, map[string]worker.Func{"look": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				k, err := dial(env)
				if err != nil {
					return err
				}
				defer k.conn.Close()
				k.send("GET", "", 0)
				k.until(patience, func(s string) bool { return strings.HasSuffix(s, "}") })
				k.send("POST", letter, len(letter))
				k.answer()
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done})
				return nil
			}})
			s := schedule(t, "func", "look", "deliver#1 times 3")
			s.Order = order
			h, shop := r.run(s)
			fired(t, h)
			require.Equal(t, 3, shop.count())
			var who []int
			looked := 0
			for _, e := range h.Events {
				if e.Kind == harness.EvAnswer && e.Op == harness.FindOp {
					looked++
				}
				if e.Kind == harness.EvEffect {
					require.Equal(t, 3, looked, "all looked before one wrote")
					who = append(who, e.Worker)
				}
			}
			want := []int{1, 2, 3}
			if order == "reverse" {
				want = []int{3, 2, 1}
			}
			require.Equal(t, want, who)
		})
	}
}

// TestAtEvent: the second delivery is handed over while the first is at work, to
// another worker that shares its state directory.
func TestAtEvent(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"once": once})
	h, shop := r.run(schedule(t, "func", "once", "create#1 response hold until create#2 response or 10s", "deliver#2 at create#1 request"))
	fired(t, h)
	require.Equal(t, 2, shop.count())
	d := events(h, harness.EvDeliver)
	require.Equal(t, []int{1, 2}, []int{d[0].Worker, d[1].Worker})
	require.Equal(t, "met", events(h, harness.EvHold)[0].Note)
}

// TestHoldWithoutHope: where nobody is left who could make the event happen, a hold
// ends by itself, and says so.
func TestHoldWithoutHope(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"once": once})
	h, shop := r.run(schedule(t, "func", "once", "create#1 target hold until create#7 response"))
	fired(t, h)
	require.Equal(t, "not-met", events(h, harness.EvHold)[0].Note)
	require.Equal(t, 1, shop.count())
}

// TestDown: while the delivery is at work connections are refused, and the same URL
// works again afterwards.
func TestDown(t *testing.T) {
	r := newRig(t, nil)
	h, shop := r.run(shell(t, `curl -s -m 20 -d '{"thing":"A"}' "$DRILL_TARGET_URL/things" >/dev/null; c=$?; echo curl $c; [ $c = 0 ] || exit 75; `+reportDone, "deliver#1 down"))
	fired(t, h)
	require.Equal(t, []string{"curl 7", "curl 0"}, notes(h, harness.EvLog), "7 is a refused connection")
	require.Equal(t, 1, shop.count())
}

// TestAfter: the second delivery comes past the declared retention.
func TestAfter(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"once": once})
	s := schedule(t, "func", "once", "deliver#2 after past-retention")
	s.Limits.Retention = harness.Duration(100 * time.Millisecond)
	h, _ := r.run(s)
	fired(t, h)
	d := events(h, harness.EvDeliver)
	require.GreaterOrEqual(t, d[1].At-events(h, harness.EvAck)[0].At, harness.Duration(115*time.Millisecond))
}

// TestEnvironment: workers inherit the environment with the proxies replaced, and
// what they send past the target is refused and recorded.
func TestEnvironment(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.invalid")
	t.Setenv("DRILL_SOMETHING", "x")
	t.Setenv("KEPT", "yes")
	r := newRig(t, nil)
	s := shell(t, `echo "$KEPT $NO_PROXY [$DRILL_SOMETHING] $DRILL_PROTOCOL $DRILL_CLIENT_DEADLINE_MS $DRILL_LEASE_MS $DRILL_POLICY_VERSION $DRILL_WORKER $MAPPED"; curl -s -m 20 http://example.invalid/x >/dev/null; `+reportDone)
	s.Executor.Env = map[string]string{"MAPPED": "${target_token}-${state_dir} costs $5"}
	h, _ := r.run(s)
	logs := notes(h, harness.EvLog)
	require.Len(t, logs, 1)
	require.Contains(t, logs[0], "yes 127.0.0.1,localhost,::1 [] 1 300 20 1 1 <secret>-")
	require.True(t, strings.HasSuffix(logs[0], " costs $5"), "nothing else is replaced")
	require.Contains(t, notes(h, harness.EvRefused), "a request to example.invalid, outside of the trial")
	require.Len(t, events(h, harness.EvLeak), 1, "the token was in a log line")
	s.Blind = true
	h, _ = r.run(s)
	require.Contains(t, notes(h, harness.EvLog)[0], "20 1  <secret>")
}

// TestStateIsSearched: a token in the state directory is a leak.
func TestStateIsSearched(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(shell(t, `printf %s "$DRILL_TARGET_TOKEN" >"$DRILL_STATE_DIR/f"; `+reportDone))
	require.Equal(t, []string{"a receipt (the state directory)"}, notes(h, harness.EvLeak))
	require.Equal(t, 1, events(h, harness.EvState)[0].N)
}

// TestUnrulyWorkers: nothing outlives a trial.
func TestUnrulyWorkers(t *testing.T) {
	mark := fmt.Sprintf("31.%09d", time.Now().UnixNano()%1e9)
	for _, c := range []struct{ name, script, note string }{
		{"never ends and ignores SIGTERM", "trap '' TERM; sleep " + mark, "it never ended and was killed"},
		{"forks children that hold its output", "sleep " + mark + " & " + reportDone, ""},
		{"forks a child of another session", "setsid sleep " + mark + " & " + reportDone, ""},
		{"prints 100 MB", "head -c 100000000 /dev/zero; echo; " + reportDone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			s := shell(t, c.script)
			s.Limits.Delivery, s.Limits.Deliveries = harness.Duration(400*time.Millisecond), 1
			if c.note == "" {
				s.Limits.Delivery = harness.Duration(20 * time.Second)
			}
			h, _ := r.run(s)
			if c.note != "" {
				require.Equal(t, []string{c.note}, notes(h, harness.EvNack))
			} else {
				require.Len(t, events(h, harness.EvAck), 1, kinds(h))
			}
			out, _ := exec.Command("pgrep", "-f", "sleep "+mark).CombinedOutput()
			require.Empty(t, string(out), "a process is left")
		})
	}
}

// TestOlderIncarnation: what a former life still sends is refused and recorded.
func TestOlderIncarnation(t *testing.T) {
	var old *rawClient
	var got saw
	r := newRig(t, map[string]worker.Func{"late": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if old == nil {
			var err error
			if old, err = dial(env); err != nil {
				return err
			}
			old.send("GET", "", 0)
			old.until(patience, func(s string) bool { return strings.HasSuffix(s, "}") })
		} else {
			defer old.conn.Close()
			old.send("POST", letter, len(letter))
			got = old.rest()
		}
		report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done})
		return nil
	}})
	h, shop := r.run(schedule(t, "func", "late", "deliver#2 elsewhere"))
	require.Equal(t, saw{"", "eof"}, got)
	require.Zero(t, shop.count())
	require.Equal(t, []string{"a request of an older incarnation"}, notes(h, harness.EvRefused))
}

// TestAConnectionBelongsToTheLifeThatOpenedIt: also where the tap takes it in so late that
// the next life could be at work by then.
func TestAConnectionBelongsToTheLifeThatOpenedIt(t *testing.T) {
	var r *rig
	var open sync.WaitGroup
	r = newRig(t, map[string]worker.Func{"late": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if job.Delivery == 1 {
			stalled := make(chan struct{})
			open.Go(func() { wire.Stall(r.World, stalled, 100*time.Millisecond) })
			<-stalled
			// The first one is taken in, and not served.
			for range 2 {
				c, err := dial(env)
				if err != nil {
					return err
				}
				c.send("POST", letter, len(letter))
				open.Go(func() { _ = c.rest(); _ = c.conn.Close() })
			}
		}
		report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done})
		return nil
	}})
	h, _ := r.run(schedule(t, "func", "late", "deliver#2 elsewhere"))
	open.Wait()
	require.Len(t, slices.Concat(events(h, harness.EvRequest), events(h, harness.EvRefused)), 2)
	for _, e := range h.Events {
		if e.Kind == harness.EvRequest || e.Kind == harness.EvRefused {
			require.Equal(t, 1, e.Incarnation, kinds(h))
		}
	}
}

// TestRefusals: what this world can not do is refused by name.
func TestRefusals(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"once": once})
	_, err := r.Run(t.Context(), schedule(t, "func", "once", "lease#1 refuse"))
	require.ErrorContains(t, err, `"lease#1 refuse" is not yet carried out by this world (wire)`)
	_, err = r.Run(t.Context(), schedule(t, "func", "once", "create#1 response kill"))
	require.ErrorIs(t, err, wire.ErrNotIsolated)
	s := schedule(t, "exec", "")
	s.Executor.Command = []string{"/no/such/worker"}
	_, err = r.Run(t.Context(), s)
	require.ErrorContains(t, err, `worker "/no/such/worker"`)
}

// TestTrialsRunInParallel: each has its own ledger, state and record.
func TestTrialsRunInParallel(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"once": once})
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			h, err := r.Run(t.Context(), schedule(t, "func", "once", "create#1 request delay 10ms"))
			require.NoError(t, err)
			require.Len(t, events(h, harness.EvEffect), 1)
			require.Equal(t, 1, events(h, harness.EvRequest)[0].Attempt)
		})
	}
}

// TestInterrupt: the end of the context ends the trial, with what is known so far.
func TestInterrupt(t *testing.T) {
	r := newRig(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.committed = stop
	s := shell(t, post+"sleep 60; "+reportDone)
	s.Limits.Delivery = harness.Duration(time.Minute)
	begun := time.Now()
	h, err := r.Run(ctx, s)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(begun), patience, "nobody waits for the end of the delivery")
	require.Len(t, events(h, harness.EvEffect), 1)
}

// TestAnExecutorsErrorIsOnRecord: why a Go executor failed its delivery is told.
func TestAnExecutorsErrorIsOnRecord(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"full": func(context.Context, worker.Env, worker.Job, func(harness.Report)) error {
		return errors.New("receipt: disk is full")
	}})
	s := schedule(t, "func", "full")
	s.Limits.Deliveries = 1
	h, _ := r.run(s)
	require.Equal(t, []string{"receipt: disk is full"}, notes(h, harness.EvLog))
	require.Equal(t, []string{"failed: error"}, notes(h, harness.EvNack))
}

// TestOtherWordsOfDelivery: a person's answer, and a worker that is handed nothing.
func TestOtherWordsOfDelivery(t *testing.T) {
	var jobs []worker.Job
	r := newRig(t, map[string]worker.Func{"keep": func(_ context.Context, _ worker.Env, job worker.Job, report func(harness.Report)) error {
		jobs = append(jobs, job)
		for _, a := range job.Actions {
			report(harness.Report{ActionID: a.ActionID, Outcome: harness.Done})
		}
		return nil
	}})
	h, _ := r.run(schedule(t, "func", "keep", "deliver#2 answer yes", "deliver#3 recover"))
	fired(t, h)
	require.Len(t, jobs, 3)
	require.Equal(t, []any{nil, "yes"}, []any{jobs[0].Answer, jobs[1].Answer})
	require.Equal(t, worker.DeliverRecover, jobs[2].Deliver)
	require.Empty(t, jobs[2].Actions)
}

// TestWaitingForAnApproval: time does not bring it, a planned answer does, and
// without one the wait is where the action ends.
func TestWaitingForAnApproval(t *testing.T) {
	const waitA = `echo '{"action_id":"act-A","outcome":"waiting","waits_for":"approval"}'`
	r := newRig(t, nil)
	h, _ := r.run(shell(t, waitA, "deliver#1 approval none"))
	require.Len(t, events(h, harness.EvDeliver), 1)
	require.Equal(t, []string{"waiting"}, notes(h, harness.EvNack))
	require.Empty(t, events(h, harness.EvBound))

	for word, want := range map[string]string{"yes": harness.Granted, "no": harness.Denied, "maybe": harness.NoGrant} {
		s := shell(t, `cat >"$DRILL_STATE_DIR/job"; grep -q answer "$DRILL_STATE_DIR/job" && `+reportDone+" || "+waitA,
			"deliver#1 approval none", "deliver#2 answer "+word)
		s.Limits.Lease = harness.Duration(time.Minute)
		h, _ = r.run(s)
		fired(t, h)
		d := events(h, harness.EvDeliver)
		require.Len(t, d, 2, "handed over at once, not after the lease")
		require.Equal(t, []bool{false, word == "yes"}, []bool{d[0].Deliver.Actions[0].Covered, d[1].Deliver.Actions[0].Covered})
		require.Equal(t, []string{harness.NoGrant, want}, []string{d[0].Deliver.Actions[0].Approval.Status, d[1].Deliver.Actions[0].Approval.Status})
		require.Len(t, events(h, harness.EvAck), 1)
	}
}
