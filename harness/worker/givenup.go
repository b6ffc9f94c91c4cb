package worker

import (
	"context"
	"fmt"
)

// errGivenUp is why the context of a delivery ends whose caller gave up.
var errGivenUp = fmt.Errorf("given up: %w", context.Canceled)

// untilGivenUp ends with ctx, and when the caller gives up; nil is never.
func untilGivenUp(ctx context.Context, givenUp <-chan struct{}) (context.Context, context.CancelFunc) {
	if givenUp == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-givenUp:
			end(errGivenUp)
		case <-over:
		}
	}()
	return ctx, func() {
		close(over)
		end(nil)
	}
}
