package reference

import (
	"context"
	"log/slog"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/targets"
)

// look reads what stands under the business key, no sooner than a read can tell:
// once the last attempt's effect must have appeared (max_in_flight) and reads must
// have caught up with it (lag). While the target says that the first request is
// still at work, it reads again, to a bound.
func (w *work) look(ctx context.Context) ([]targets.Object, error) {
	p := &w.promises.Lookup
	tells := w.r.Last(receipt.Unknown).Add(p.Lag.D() + p.MaxInFlight.D())
	if err := w.pause(ctx, tells.Sub(w.now())); err != nil {
		return nil, err
	}
	for polls := 0; ; polls++ {
		found, err := w.read(ctx, polls > 0)
		if err != nil || !w.inFlight || len(found) > 0 || polls >= w.rules.Limits.Tries {
			return found, err
		}
	}
}

// read is one look-up, tried again where the read itself fails.
func (w *work) read(ctx context.Context, again bool) ([]targets.Object, error) {
	for try := 1; ; try++ {
		if err := w.await(ctx, "find", again || try > 1); err != nil {
			return nil, err
		}
		if err := w.hold(ctx); err != nil {
			return nil, err
		}
		step := w.op
		if w.undoes != "" {
			step = w.undoes
		}
		w.looked = w.now()
		found, out := w.target.Look(ctx, step, w.request(w.key()))
		if w.env.Log.Enabled(ctx, slog.LevelDebug) {
			w.env.Log.LogAttrs(ctx, slog.LevelDebug, "find", slog.String("action", w.r.ActionID), slog.String("class", string(out.Class)), slog.Int("found", len(found)))
		}
		if out.Class == harness.Confirmed {
			return found, nil
		}
		w.heed(out)
		switch {
		case ctx.Err() != nil:
			return nil, left("find", "the caller gave up", out)
		case try >= w.rules.Limits.Tries:
			return nil, left("find", "the reads of this delivery are spent", out)
		}
	}
}
