package receipt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Path is a way on which an action can come again.
type Path string

// The replay paths. A receipt has to outlive each of them: what is replayed after
// its receipt is gone looks new.
const (
	// ProducerRetries: whoever makes the trigger sends it again.
	ProducerRetries Path = "producer-retries"
	// Redelivery: the queue hands it over again, up to its own retention.
	Redelivery Path = "redelivery"
	// Resume: a paused or checkpointed run goes on.
	Resume Path = "resume"
	// Requeue: a person, or a tool, puts dead letters back.
	Requeue Path = "requeue"
	// KeyWindow: the target still remembers the idempotency key.
	KeyWindow Path = "key-window"
)

// Paths lists every replay path.
var Paths = []Path{ProducerRetries, Redelivery, Resume, Requeue, KeyWindow}

// Forever is a path without an end.
const Forever time.Duration = math.MaxInt64

var (
	// ErrUndeclared is returned when a replay path is not declared: nobody knows how
	// long it lasts, so nothing can be let go.
	ErrUndeclared = errors.New("a replay path is not declared")
	// ErrKept is returned when a receipt is not expired yet.
	ErrKept = errors.New("not expired")
)

// Retention declares, for each path, the longest time from an action's last change
// to the last moment at which the path can bring it again. A path that begins where
// another ends includes it: dead letters that are kept for a week after four days of
// redelivery make eleven days of requeue. 0 declares that the path brings nothing.
type Retention map[Path]time.Duration

// Check refuses a retention that leaves a path out, names another, or has a time
// below 0.
func (r Retention) Check() error {
	for _, p := range Paths {
		d, ok := r[p]
		switch {
		case !ok:
			return fmt.Errorf("%w: say how long %s can bring an action again, or 0 where it can not", ErrUndeclared, p)
		case d < 0:
			return fmt.Errorf("the replay path %s lasts %s: expected 0 or more", p, d)
		}
	}
	for p := range r {
		if !slices.Contains(Paths, p) {
			return fmt.Errorf("there is no replay path %q: expected one of %s", p, PathNames())
		}
	}
	return nil
}

// PathNames lists the paths for help texts and errors.
func PathNames() string {
	names := make([]string, len(Paths))
	for i, p := range Paths {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// Longest returns the path that decides, the first of equals, and how long it lasts.
func (r Retention) Longest() (Path, time.Duration) {
	longest := Paths[0]
	for _, p := range Paths[1:] {
		if r[p] > r[longest] {
			longest = p
		}
	}
	return longest, r[longest]
}

// Expires returns when nothing can bring the receipt's action again. ok is false
// where a path has no end.
func (r Retention) Expires(rc Receipt) (at time.Time, ok bool) {
	_, d := r.Longest()
	if d == Forever {
		return time.Time{}, false
	}
	return rc.Changed().Add(d), true
}

// Expired returns nil where the receipt may be archived at that time: every path is
// declared, all of them are over, and the receipt is terminal. The error is an
// [ErrUndeclared], [ErrKept] or [ErrOpen].
func (r Retention) Expired(rc Receipt, now time.Time) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := CheckArchive(rc); err != nil {
		return err
	}
	path, d := r.Longest()
	at, ends := r.Expires(rc)
	if !ends {
		return fmt.Errorf("%w: %s can bring %s again without end", ErrKept, path, rc.ActionID)
	}
	if now.Before(at) {
		return fmt.Errorf("%w: %s can bring %s again until %s (%s after its last change)", ErrKept, path, rc.ActionID, at.UTC().Format(time.RFC3339), d)
	}
	return nil
}
