package wire

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
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
