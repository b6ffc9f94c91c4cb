package worker

import (
	"errors"
	"net/http"
	"time"
)

// ErrDead is what every handle of an [Env] answers once the life that it was made
// for has ended: nothing is sent, kept or waited for any more.
var ErrDead = errors.New("this life has ended")

// Memory stands in for the state directory in a world without files: what one life
// keeps there the next one finds.
type Memory interface {
	// Keep returns what stands under the name, made by make where nothing does yet.
	Keep(name string, make func() any) any
	// Alive returns [ErrDead] once the life that has this handle has ended. What keeps
	// something there asks before each read and write.
	Alive() error
}

// Shown is what is kept in a [Memory] and shows its texts, to whoever looks for what must
// not stand there: nothing else is looked through.
type Shown interface {
	// Texts calls visit with every text of at least so many bytes.
	Texts(least int, visit func(string))
}

// Timed is a transport that bounds each call on a clock of its own. Where [Env.HTTP]
// has one, a deadline on the real clock would mean nothing.
type Timed interface {
	// Within returns the transport with a bound on each call; 0 is none.
	Within(d time.Duration) http.RoundTripper
}

// Client returns the client to act with: [Env.HTTP], with the client deadline as the
// bound on each call, on the world's clock.
func (e Env) Client() *http.Client {
	c := bounded(e.HTTP, e.ClientDeadline)
	return &c
}

// bounded is a client with a bound on each call.
func bounded(of *http.Client, d time.Duration) http.Client {
	c := *of
	if t, ok := c.Transport.(Timed); ok {
		c.Transport = t.Within(d)
	} else {
		c.Timeout = d
	}
	return c
}
