package worker

import (
	"context"
	"fmt"
)

// errGivenUp is why the context of a delivery ends whose caller gave up.
var errGivenUp = fmt.Errorf("given up: %w", context.Canceled)

// untilGivenUp ends with ctx, and when the caller gives up.
func (h *Handover) untilGivenUp(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.GivenUp == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-h.GivenUp:
			end(errGivenUp)
		case <-over:
		}
	}()
	return ctx, func() {
		close(over)
		end(nil)
	}
}
