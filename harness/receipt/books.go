package receipt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrOpen is returned when a receipt is to be archived that is not terminal: it may
// still be asked for, or it is the evidence on which a person decides.
var ErrOpen = errors.New("not terminal, so it stays")

// Books is what an operator does with a store while executors are at work on it.
type Books interface {
	Store
	// Each calls f for every receipt that q selects, in the order of their making. It
	// holds nothing while f runs, so that f may use the store; what is made meanwhile
	// may be left out. The first error of f ends it and is returned.
	Each(ctx context.Context, q Query, f func(Receipt) error) error
	// Archive moves a receipt out of the executors' table, by compare-and-set on its
	// fence and state, and keeps it: Claim, Get and ByTrigger find it as before, and a
	// claim that leads on moves it back. What is not [State.Terminal] is refused with
	// [ErrOpen], a receipt that changed since with [ErrStale].
	Archive(ctx context.Context, r Receipt, at time.Time) error
}

// Query selects receipts. Its zero value selects all that are not archived.
type Query struct {
	// States are those wanted; none means any.
	States []State
	// ChangedBefore and ChangedSince bound the last change; zero does not.
	ChangedBefore, ChangedSince time.Time
	// Archived selects from the archive instead.
	Archived bool
}

// Selects reports whether q wants a receipt, as far as the receipt itself tells.
func (q Query) Selects(r Receipt) bool {
	changed := r.Changed()
	return (len(q.States) == 0 || slices.Contains(q.States, r.State)) &&
		(q.ChangedBefore.IsZero() || changed.Before(q.ChangedBefore)) &&
		(q.ChangedSince.IsZero() || !changed.Before(q.ChangedSince))
}

// CheckArchive refuses what may not be archived.
func CheckArchive(r Receipt) error {
	if !r.State.Terminal() {
		return fmt.Errorf("%w: %s is %s", ErrOpen, r.ActionID, r.State)
	}
	return nil
}

// Changed explains an archiving that met another receipt than it started from.
func Changed(now, r Receipt) error {
	return fmt.Errorf("%w: %s was %s at token %d, it is %s at %d", ErrStale, r.ActionID, r.State, r.Fence, now.State, now.Fence)
}

// Terminal reports whether nothing is left to find out and nobody is waited for:
// confirmed or rejected. Needs_review is settled for executors and not terminal,
// since a person still decides by it.
func (s State) Terminal() bool { return s == Confirmed || s == Rejected }

// Changed returns the latest time that the receipt tells, or the zero time. It is
// the latest and not the last, so that a clock that was set back makes nothing older
// than it is.
func (r Receipt) Changed() time.Time {
	latest := r.Key.Since
	for _, e := range r.History {
		if e.At.After(latest) {
			latest = e.At
		}
	}
	return latest
}
