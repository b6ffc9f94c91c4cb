package sim

import (
	"context"
	"errors"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// inside is asked by the target between its claim of the key and its commit.
func (t *trial) inside(_ context.Context, x *tap.Exchange, f *harness.Fault) harness.TargetDecision {
	if f.Name == "hold" {
		t.hold(x, f)
		return harness.TargetDecision{}
	}
	return harness.TargetDecision{Name: f.Name, Status: f.N, Code: f.Code, Fired: func() { t.session.Fired(f, x.Event) }}
}

// await is how the target waits for what another request does.
func (t *trial) await(ch <-chan struct{}) error {
	if t.block(wait{chans: [2]<-chan struct{}{ch}}) != byChan0 {
		return errEnded
	}
	return nil
}

var errEnded = errors.New("the trial has ended")
