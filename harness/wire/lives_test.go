package wire

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// lateRunner is told to say that its process has begun.
type lateRunner struct{ says chan worker.Mortal }

func (lateRunner) Alive() bool  { return false }
func (lateRunner) Close() error { return nil }

func (r lateRunner) Deliver(_ context.Context, _ worker.Handover, on worker.Listener) worker.End {
	if life := <-r.says; life != nil {
		on.Started(life)
	}
	return worker.End{}
}

// mortal can be killed.
type mortal struct{ worker.Mortal }

func (mortal) Kill() bool { return true }

// TestALifeIsStruckThatWasNotToldYet: a process may be at its first request before whoever
// started it has said so, and is killed all the same. One that was never started is not.
func TestALifeIsStruckThatWasNotToldYet(t *testing.T) {
	for name, life := range map[string]worker.Mortal{"told late": mortal{}, "not started": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &trial{s: harness.Schedule{Limits: harness.DefaultLimits()}}
				tr.inbox = make(chan ended, 1)
				r := lateRunner{make(chan worker.Mortal)}
				s := &seat{number: 1, incarnation: 1, process: true, runner: r, begun: make(chan struct{})}
				tr.seats = []*seat{s}
				var all sync.WaitGroup
				all.Go(func() {
					tr.deliver(t.Context(), s, &deliver.Hand{Message: &deliver.Message{}}, worker.Handover{}, harness.Event{})
				})
				died := make(chan bool, 1)
				all.Go(func() { died <- tr.kill(1, 1) })
				synctest.Wait()
				require.Empty(t, died, "nobody knows yet whom to kill")
				r.says <- life
				require.Equal(t, life != nil, <-died)
				all.Wait()
			})
		})
	}
}

// mortalRunner is at work until its life is struck.
type mortalRunner struct{ struck chan struct{} }

func (*mortalRunner) Alive() bool            { return false }
func (*mortalRunner) Close() error           { return nil }
func (*mortalRunner) Pause() bool            { return false }
func (*mortalRunner) Resume() bool           { return false }
func (*mortalRunner) Ended() <-chan struct{} { return nil }
func (*mortalRunner) Heard()                 {}
func (r *mortalRunner) Term() bool           { return r.Kill() }

func (r *mortalRunner) Deliver(_ context.Context, h worker.Handover, on worker.Listener) worker.End {
	on.Started(r)
	select {
	case <-r.struck:
	case <-h.GivenUp:
	}
	return worker.End{Note: "it ended"}
}

func (r *mortalRunner) Kill() bool { close(r.struck); return true }

// TestAnEndIsToldAfterWhatBroughtItAbout: a request that got no answer, since its worker was
// ended there, is on record before the hand-over counts as ended: a delivery that waits for
// it would come too late, as if it had not come about.
func TestAnEndIsToldAfterWhatBroughtItAbout(t *testing.T) {
	for _, line := range []string{"create#1 request kill", "create#1 response stop 1m", "create#1 response cancel"} {
		t.Run(line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, err := harness.ParseFault(line)
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				tr := &trial{s: harness.Schedule{Limits: harness.DefaultLimits()}, ctx: ctx}
				// Whoever records is kept from it.
				record := make(chan struct{})
				now := func() time.Duration { <-record; return 0 }
				tr.session = tap.NewSession(tr.s, nil, tap.NewRecorder(now, ""))
				tr.handler = &tap.Handler{Session: tr.session}
				tr.inbox = make(chan ended, 1)
				r := &mortalRunner{make(chan struct{})}
				givenUp := make(chan struct{})
				s := &seat{number: 1, incarnation: 1, process: true, runner: r, begun: make(chan struct{}), atWork: true, givenUp: givenUp}
				tr.seats = []*seat{s}
				var all sync.WaitGroup
				all.Go(func() {
					tr.deliver(ctx, s, &deliver.Hand{Message: &deliver.Message{}}, worker.Handover{GivenUp: givenUp}, harness.Event{})
				})
				synctest.Wait()
				all.Go(func() {
					defer func() { _ = recover() }()
					x := &tap.Exchange{Crossed: &tap.Crossed{Event: &harness.Event{Worker: 1, Incarnation: 1}}, R: &http.Request{}}
					onWorkers[f.Kind().Key()](tr, ctx, x, &f)
				})
				synctest.Wait()
				require.Empty(t, tr.inbox, "it has ended, and that is not told")
				close(record)
				<-tr.inbox
				seen := tr.session.Snapshot()
				require.True(t, slices.ContainsFunc(seen, func(e harness.Event) bool { return e.Kind == harness.EvLost }))
				cancel()
				all.Wait()
			})
		})
	}
}
