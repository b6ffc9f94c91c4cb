package receipt

import (
	"errors"
	"fmt"
)

var (
	// ErrNotApproved is returned when a claim has no valid approval and none of the
	// action's facts can be told without one.
	ErrNotApproved = errors.New("no valid approval covers the arguments")
	// ErrSpent is returned when a single-use approval was used by another action.
	ErrSpent = errors.New("a single-use approval is spent")
	// ErrHeld is returned when another worker holds a live lease; see [HeldError].
	ErrHeld = errors.New("another worker holds the receipt")
	// ErrChanged is returned when the arguments are not those of the receipt and no
	// new approval leads on; see [ChangedError].
	ErrChanged = errors.New("the arguments are not those of the receipt")

	// ErrStale is returned when a write carries an older fencing token: another
	// worker has claimed since. The late one must neither act nor write.
	ErrStale = errors.New("the fencing token is stale")
	// ErrTransition is returned when a write makes a move that [Transitions] does
	// not list, or starts from a state in which the receipt is not.
	ErrTransition = errors.New("no such transition")
	// ErrMissing is returned when there is no such receipt.
	ErrMissing = errors.New("no such receipt")

	// ErrNoStore is returned when who only reads finds no store.
	ErrNoStore = errors.New("there is no receipt database")
	// ErrGone is returned when the store was deleted or replaced under its user. What
	// it held is not known any more, which proves nothing about what was sent.
	ErrGone = errors.New("the receipt database is gone")
	// ErrNewer is returned when the store was written by a newer version.
	ErrNewer = errors.New("written by a newer version of drill")
	// ErrDamaged is returned when the store can not be read as one.
	ErrDamaged = errors.New("damaged, or no receipt database")
	// ErrUnwritable is returned when the store can not be opened or written.
	ErrUnwritable = errors.New("can not be written")
	// ErrFull is returned when the disk is full.
	ErrFull = errors.New("the disk is full")
)

// missing is an [ErrMissing] that names the action.
type missing string

func (e missing) Error() string { return ErrMissing.Error() + ": " + string(e) }
func (e missing) Unwrap() error { return ErrMissing }

// HeldError says who holds the receipt and until when. It is an [ErrHeld].
type HeldError struct{ Receipt Receipt }

// Error says who has it, and in which state.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%v: %s has %s in state %s", ErrHeld, e.Receipt.Owner, e.Receipt.ActionID, e.Receipt.State)
}

// Unwrap returns [ErrHeld].
func (e *HeldError) Unwrap() error { return ErrHeld }

// ChangedError carries the receipt that other arguments were offered to. It is an
// [ErrChanged].
type ChangedError struct {
	Receipt Receipt
	// Digest is that of the refused arguments.
	Digest string
}

// Error shows both digests.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%v: %s has %s, the delivery brought %s", ErrChanged, e.Receipt.ActionID, e.Receipt.Digest, e.Digest)
}

// Unwrap returns [ErrChanged].
func (e *ChangedError) Unwrap() error { return ErrChanged }
