package reference

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// heardAs takes answers of one kind for another: the class is changed between the
// client and the executor.
func heardAs(wrong func(out targets.Outcome, of harness.Promises) harness.Class) func(*executor, sender) sender {
	return func(x *executor, next sender) sender {
		return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
			out := next(ctx, op, w)
			if c := wrong(out, x.promises); c != out.Class {
				// What the status was is lost with the class: nobody above can put it right.
				out.Class, out.Status, out.Err = c, 0, nil
			}
			return out
		}
	}
}

// unsentWhenStopped: what nobody waits for any more was not sent.
func unsentWhenStopped(_ *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		out := next(ctx, op, w)
		if ctx.Err() != nil && out.Class == harness.Unknown {
			out.Class = harness.NeverDispatched
		}
		return out
	}
}

// instead is one class taken for another.
func instead(of, taken harness.Class) func(*executor, sender) sender {
	return heardAs(func(out targets.Outcome, _ harness.Promises) harness.Class {
		if out.Class == of {
			return taken
		}
		return out.Class
	})
}

// storedFailure: an answer of the target, even a failure of its own, is an answer.
func storedFailure(out targets.Outcome, _ harness.Promises) harness.Class {
	if out.Class == harness.Unknown && out.Status >= 500 {
		return harness.RejectedPermanent
	}
	return out.Class
}

// unreadable: what is not of the shape that was expected is an error of the request.
func unreadable(out targets.Outcome, _ harness.Promises) harness.Class {
	if out.Class == harness.Unknown && out.Status != 0 && out.Err != nil {
		return harness.RejectedPermanent
	}
	return out.Class
}

// replayed: what is repeated under the key is what became of it.
func replayed(out targets.Outcome, _ harness.Promises) harness.Class {
	if out.Class == harness.Unknown && out.Replayed {
		return harness.RejectedPermanent
	}
	return out.Class
}

// conflictAs takes the refusal of a name that is taken for something definite.
func conflictAs(c harness.Class) func(*executor, sender) sender {
	return heardAs(func(out targets.Outcome, of harness.Promises) harness.Class {
		if of.UniqueNames && out.Status == 409 {
			return c
		}
		return out.Class
	})
}

// unmarked overlooks the mark of a replayed answer.
func unmarked(_ *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		out := next(ctx, op, w)
		out.Replayed = false
		return out
	}
}

// keyed sends another key than the executor means to.
func keyed(key func(x *executor, w targets.Write) string) func(*executor, sender) sender {
	return func(x *executor, next sender) sender {
		return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
			w.Key = key(x, w)
			return next(ctx, op, w)
		}
	}
}

// withClock: the key has the moment in it.
func withClock(x *executor, w targets.Write) string {
	return fmt.Sprintf("%s-%d", w.Key, x.env.Clock.Now().UnixNano())
}

// withMachine: each instance has keys of its own, known by where it keeps its state.
func withMachine(x *executor, w targets.Write) string {
	return w.Key + "-" + strings.TrimPrefix(harness.Digest([]byte(x.env.StateDir)), "sha256:")[:8]
}

// ofTheClient: the key is a setting of the client.
func ofTheClient(x *executor, _ targets.Write) string {
	return "client-" + strings.TrimPrefix(harness.Digest([]byte(x.env.StateDir)), "sha256:")[:16]
}

// ofTheArguments: whoever asks for the same has the same key.
func ofTheArguments(_ *executor, w targets.Write) string {
	return strings.TrimPrefix(w.Arguments.Digest(), "sha256:")[:32]
}

// releasing lets go of the key of an attempt without an answer.
func releasing(_ *executor, next sender) sender {
	released := map[string]int{}
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		if n := released[w.ActionID]; n > 0 {
			w.Key = fmt.Sprintf("%s-%d", w.Key, n)
		}
		out := next(ctx, op, w)
		if out.Class == harness.Unknown {
			released[w.ActionID]++
		}
		return out
	}
}

// rewriting changes an argument once it was approved: a whole amount instead of a
// broken one, another spelling of a word.
func rewriting(_ *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		w.Arguments, w.Normal = w.Arguments.Clone(), nil
		for name, v := range w.Arguments {
			switch v := v.(type) {
			case int64:
				w.Arguments[name] = v/100*100 + 100
			}
		}
		return next(ctx, op, w)
	}
}

// twiceInside sends an unknown attempt again at once, below the executor's own count.
func twiceInside(_ *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		out := next(ctx, op, w)
		if out.Class == harness.Unknown && ctx.Err() == nil {
			return next(ctx, op, w)
		}
		return out
	}
}

// overlong: the key is made of two digests, and longer than the target reads.
func overlong(_ *executor, w targets.Write) string {
	d := strings.TrimPrefix(harness.Digest([]byte(w.Key)), "sha256:")
	return d + d
}

// inheriting: the key of the first call stays with the client, for each call after it.
func inheriting(_ *executor, next sender) sender {
	var once sync.Once
	first := ""
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		once.Do(func() { first = w.Key })
		w.Key = first
		return next(ctx, op, w)
	}
}

// restarting: an answer that says accepted and not done yet is none, and the work is
// begun again under a key of its own.
func restarting(_ *executor, next sender) sender {
	return func(ctx context.Context, op string, w targets.Write) targets.Outcome {
		out := next(ctx, op, w)
		if out.Status != http.StatusAccepted {
			return out
		}
		w.Key += "-again"
		return next(ctx, op, w)
	}
}
