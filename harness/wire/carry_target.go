package wire

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// inside is asked by the target between its claim of the key and its commit.
func (b *boundary) inside(ctx context.Context, x *tap.Exchange, f *harness.Fault) harness.TargetDecision {
	if f.Name == "hold" {
		b.hold(ctx, x, f)
		return harness.TargetDecision{}
	}
	return harness.TargetDecision{Name: f.Name, Status: f.N, Code: f.Code, Fired: func() { b.session.Fired(f, x.Event) }}
}
