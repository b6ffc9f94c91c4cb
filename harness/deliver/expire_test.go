package deliver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/deliver"
)

// TestExpire: what is hidden for as long as the queue hides it goes to another worker,
// once, and the end of that hand-over is told.
func TestExpire(t *testing.T) {
	c := newClock(t)
	first := c.due()
	require.Nil(t, c.Expire(first, c.now), "it was handed over just now")
	c.now += time.Second
	over := c.Expire(first, c.now)
	require.NotNil(t, over)
	require.False(t, c.Done())
	second := c.due()
	require.Equal(t, []int{1, 2, 1, 2}, []int{first.Worker, second.Worker, first.Delivery, second.Delivery})
	require.Equal(t, []int{1, 2}, []int{first.Again, second.Again}, "the queue counts it")
	c.idle()
	require.Equal(t, first.Message.Job(1), second.Message.Job(1))
	c.End(deliver.Ended{Hand: second}, c.now)
	second.Over()
	<-over
	require.Nil(t, c.Expire(second, c.now), "nobody is at it any more")
	require.False(t, c.Done(), "the first one is at work")
	c.End(deliver.Ended{Hand: first}, c.now)
	require.True(t, c.Done())
}

// TestExpireTooLate: what has ended does not run out, whatever its worker is at by then.
func TestExpireTooLate(t *testing.T) {
	c := newClock(t)
	first := c.due()
	c.end(first, deliver.Heard{Nack: "failed"}, true)
	c.now += time.Second
	again := c.due()
	require.Equal(t, first.Worker, again.Worker)
	require.Nil(t, c.Expire(first, c.now))
	c.idle()
}

// TestExpirePlanned: another worker gets what the schedule plans next, and nobody where
// the schedule itself says who comes beside.
func TestExpirePlanned(t *testing.T) {
	c := newClock(t, "deliver#2 new-trigger", "deliver#2 elsewhere")
	first := c.due()
	c.now += time.Second
	require.NotNil(t, c.Expire(first, c.now))
	second := c.due()
	require.Equal(t, 2, second.Worker)
	require.True(t, second.Has("new-trigger") && second.Has("elsewhere"), "both lines are carried out")
	require.Equal(t, "trig-A-again", second.Message.Job(1).TriggerKey)
	require.Equal(t, "trig-A", first.Message.Job(1).TriggerKey)

	c = newClock(t, "deliver#2 at create#1 response")
	first = c.due()
	c.now += time.Second
	require.Nil(t, c.Expire(first, c.now))
}

// TestExpireToARecovery: the end that is told is the recovery's; what ran out comes again
// later, and its end is told to nobody.
func TestExpireToARecovery(t *testing.T) {
	c := newClock(t, "deliver#2 recover", "deliver#3 new-trigger")
	first := c.due()
	c.now += time.Second
	over := c.Expire(first, c.now)
	require.NotNil(t, over)
	ends := func(h *deliver.Hand, x deliver.Heard) {
		c.end(h, x, false)
		h.Over()
	}
	ends(c.due(), deliver.Heard{})
	<-over
	ends(first, deliver.Heard{})
	c.now += time.Second
	ends(c.due(), deliver.Heard{})
}
