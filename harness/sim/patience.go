package sim

import (
	"context"
	"time"
)

// patience is the context of a hand-over to a coroutine: it ends when whoever waits for
// the worker gives up, and when the hand-over is over. Few wait for that or ask why, so
// that what tells them, one of package context's own, is made for the first who does.
type patience struct {
	real context.Context
	stop context.CancelCauseFunc
	over bool
	why  error
}

// end ends it, once.
func (p *patience) end(why error) {
	if p.over {
		return
	}
	p.over, p.why = true, why
	if p.stop != nil {
		p.stop(why)
	}
}

func (p *patience) made() context.Context {
	if p.real == nil {
		p.real, p.stop = context.WithCancelCause(context.Background())
		if p.over {
			p.stop(p.why)
		}
	}
	return p.real
}

// Deadline implements [context.Context].
func (p *patience) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (p *patience) Done() <-chan struct{} { return p.made().Done() }

// Err implements [context.Context].
func (p *patience) Err() error {
	if !p.over {
		return nil
	}
	return p.made().Err()
}

// Value implements [context.Context]. It holds nothing but what package context itself
// asks for.
func (p *patience) Value(key any) any {
	if key != causeKey {
		return nil
	}
	return p.made().Value(key)
}

// causeKey is what package context finds a context's cause by.
var causeKey = func() any {
	var p probe
	_ = context.Cause(&p)
	return p.key
}()

// probe learns what it is asked for.
type probe struct {
	patience
	key any
}

// Err says that there is a cause to be asked for.
func (*probe) Err() error { return context.Canceled }

func (p *probe) Value(key any) any {
	p.key = key
	return nil
}
