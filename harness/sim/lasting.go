package sim

import (
	"context"
	"time"

	"github.com/retrydrill/drill/internal/lone"
)

// lasting is a context that ends with its trial. It is begun anew with the next one.
type lasting struct {
	mu   lone.Mutex
	done chan struct{}
	over bool
}

func (c *lasting) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.over = nil, false
}

func (c *lasting) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.over = true
	if c.done != nil {
		close(c.done)
	}
}

// Deadline implements [context.Context].
func (c *lasting) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context]. Few ask, so that the channel is made for them.
func (c *lasting) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.over {
			close(c.done)
		}
	}
	return c.done
}

// Err implements [context.Context].
func (c *lasting) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return context.Canceled
	}
	return nil
}

// Value implements [context.Context].
func (c *lasting) Value(any) any { return nil }
