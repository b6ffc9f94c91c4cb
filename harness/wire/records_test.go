package wire_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

func init() {
	builtins["keeper"] = func(env worker.Env) (worker.Func, func() error, error) { return keep, func() error { return nil }, nil }
}

var errRecord = errors.New("the record was not written")

// keep writes three records into a journal, and posts between the second and the
// third. It tells the journal on its log when it starts.
func keep(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
	journal := filepath.Join(env.StateDir, "journal")
	found, _ := os.ReadFile(journal)
	env.Log.Info("found " + strings.Join(strings.Fields(string(found)), "+") + ".")
	for i, state := range []string{"approved", "sent", "confirmed"} {
		if state == "confirmed" {
			resp, err := env.HTTP.Post(env.TargetURL+"/things", "application/json", strings.NewReader(`{}`))
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
		}
		failed := true
		err := env.Records.Write(ctx, worker.Record{ActionID: job.Actions[0].ActionID, State: state, Attempt: min(i, 1)}, func(o worker.RecordOrder) worker.RecordEnd {
			switch o {
			case worker.RecordFail:
				return worker.RecordFailed
			case worker.RecordConflict:
				return worker.RecordConflicted
			}
			failed = false
			if o == worker.RecordLose {
				return worker.RecordLost
			}
			found = append(found, state+" "...)
			if os.WriteFile(journal, found, 0o600) != nil {
				return worker.RecordRefused
			}
			return worker.RecordWritten
		})
		if err != nil || failed {
			return errors.Join(err, errRecord)
		}
	}
	report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
	return nil
}

// TestRecordFaults: each strikes once, at the write that it names and at no other.
func TestRecordFaults(t *testing.T) {
	for _, c := range []struct {
		line string
		// first are the ends of the first life's writes, kept what the second one finds.
		first []string
		kept  string
		end   string
		// requests left in the first life.
		requests int
	}{
		{"record#1 fail", []string{"failed"}, "", "error", 0},
		{"record#2 fail", []string{"written", "failed"}, "approved", "error", 0},
		{"record#3 fail", []string{"written", "written", "failed"}, "approved+sent", "error", 1},
		{"record#2 conflict", []string{"written", "conflict"}, "approved", "error", 0},
		{"record#1 kill-before", nil, "", "signal SIGKILL", 0},
		{"record#2 kill-before", []string{"written"}, "approved", "signal SIGKILL", 0},
		{"record#3 kill-before", []string{"written", "written"}, "approved+sent", "signal SIGKILL", 1},
		{"record#2 kill-after", []string{"written", "written"}, "approved+sent", "signal SIGKILL", 0},
		{"record#3 kill-after", []string{"written", "written", "written"}, "approved+sent+confirmed", "signal SIGKILL", 1},
		{"record#2@A kill-after", []string{"written", "written"}, "approved+sent", "signal SIGKILL", 0},
		{"record#2@w1 kill-after", []string{"written", "written"}, "approved+sent", "signal SIGKILL", 0},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := newRig(t, nil)
			s := schedule(t, "builtin", "keeper", c.line)
			s.Limits.Lease = harness.Duration(1e7)
			h, _ := r.run(s)
			fired(t, h)
			require.Len(t, events(h, harness.EvFault), 1, "once")
			var ends []string
			requests := 0
			for _, e := range h.Events {
				switch {
				case e.Delivery != 1:
				case e.Kind == harness.EvRecord:
					ends = append(ends, e.Note)
					require.Equal(t, []string{"approved", "sent", "confirmed"}[len(ends)-1], e.Record.State)
					require.Equal(t, []any{len(ends), "A", 1}, []any{e.N, e.Action, e.Worker})
				case e.Kind == harness.EvRequest:
					requests++
				}
			}
			require.Equal(t, c.first, ends)
			require.Equal(t, c.requests, requests)
			require.Equal(t, c.end, events(h, harness.EvEnd)[0].Note)
			require.Contains(t, strings.Join(notes(h, harness.EvLog), "\n"), "found "+c.kept+".", "what the next life finds")
			require.Len(t, events(h, harness.EvAck), 1)
		})
	}
}

// TestALostRecord: acknowledged, and gone at the next start.
func TestALostRecord(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(schedule(t, "builtin", "keeper", "record#2 lose", "report#1 kill"))
	fired(t, h)
	require.Equal(t, []string{"written", "lost", "written", "written", "written", "written"}, notes(h, harness.EvRecord))
	require.Len(t, events(h, harness.EvEnd), 2)
	require.Contains(t, strings.Join(notes(h, harness.EvLog), "\n"), "found approved+confirmed.")
}

// TestAHeldRecord: the write waits for its event, and not for ever.
func TestAHeldRecord(t *testing.T) {
	for _, kind := range []string{"in process", "as a child"} {
		t.Run(kind, func(t *testing.T) {
			lines := []string{"deliver#2 at create#1 request", "record#3@w1 hold until report#1"}
			if kind == "as a child" {
				lines = append(lines, "report#9 kill?")
			}
			r := newRig(t, nil)
			h, _ := r.run(schedule(t, "builtin", "keeper", lines...))
			require.Len(t, events(h, harness.EvHold), 1)
			require.Equal(t, "met", events(h, harness.EvHold)[0].Note)
			place := func(k harness.EventKind, worker int) int {
				n := 0
				for i, e := range h.Events {
					if e.Kind == k && e.Worker == worker {
						n = i
					}
				}
				return n
			}
			require.Greater(t, place(harness.EvRecord, 1), place(harness.EvReport, 2), "the write was made after the other's report")
		})
	}
	r := newRig(t, nil)
	h, _ := r.run(schedule(t, "builtin", "keeper", "record#1 hold until report#1"))
	fired(t, h)
	require.Equal(t, []string{"not-met"}, notes(h, harness.EvHold), "nobody was left that could report")
	require.Len(t, events(h, harness.EvAck), 1)
}

// TestRecordsAreAnEvent: others can wait for a write.
func TestRecordsAreAnEvent(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(schedule(t, "builtin", "keeper", "create#1 response hold until record#5", "deliver#2 at record#1"))
	fired(t, h)
	require.Equal(t, []string{"met"}, notes(h, harness.EvHold))
}

// TestAProcessThatNeverComesToItsJob: what its start took is told, though it is killed
// before it is ready.
func TestAProcessThatNeverComesToItsJob(t *testing.T) {
	r := newRig(t, nil)
	s := schedule(t, "builtin", "keeper", "report#9 kill?")
	s.Limits.Delivery, s.Limits.ClientDeadline, s.Limits.Lease = 1e6, 2e6, 2e6
	h, shop := r.run(s)
	require.Zero(t, shop.count(), "no process starts in a millisecond")
	require.Contains(t, notes(h, harness.EvSlow), "a built-in executor's process")
}
