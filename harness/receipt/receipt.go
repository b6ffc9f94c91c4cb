package receipt

import (
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Receipt is the durable record of one action. Times are on the executor's clock.
type Receipt struct {
	ActionID    string `json:"action_id"`
	TriggerKey  string `json:"trigger_key"`
	BusinessKey string `json:"business_key"`
	Effect      string `json:"effect"`
	// Ordinal counts actions of one trigger that are alike in effect, business key
	// and arguments, from 0: two refunds of one amount that one event asked for.
	Ordinal int `json:"ordinal,omitempty"`
	// Digest is that of Arguments, which are normalised.
	Digest    string            `json:"arguments_sha256"`
	Arguments harness.Arguments `json:"arguments"`
	// ApprovalID names the approval that covers the digest under PolicyVersion.
	ApprovalID    string `json:"approval_id"`
	PolicyVersion string `json:"policy_version"`
	// ApprovalDelivery is the hand-over that brought the approval, as TriggerKey counts them,
	// or 0 where that is not known.
	ApprovalDelivery int `json:"approval_delivery,omitempty"`
	// Superseded are the approvals that newer ones came after, oldest first, and those that
	// came with a second ID of what was open: what was rejected later they do not lead on
	// from.
	Superseded []string `json:"superseded_approvals,omitempty"`
	// Minted are the other IDs under which the same intent came before it was settled,
	// oldest first. What became of it was told under them too, and is what an approval
	// decides on that comes to one of them later.
	Minted []string `json:"minted_beside,omitempty"`

	State State `json:"state"`
	// Attempt counts the requests that may have left, over all lives.
	Attempt int `json:"attempt"`
	Key     Key `json:"key"`

	// Ended counts the attempts by the class in which they ended, as far as that was
	// heard.
	Ended Ended `json:"ended,omitzero"`

	// What the last answer told.
	Status    int           `json:"status,omitempty"`
	Code      string        `json:"code,omitempty"`
	Class     harness.Class `json:"class,omitempty"`
	RequestID string        `json:"request_id,omitempty"`
	// Resource is the target's ID of the effect.
	Resource string `json:"resource_id,omitempty"`
	// NotBefore is when the target may be asked again (Retry-After).
	NotBefore time.Time `json:"not_before,omitzero"`

	// ErrorClass and Detail say why a settled receipt is not confirmed.
	ErrorClass string `json:"error_class,omitempty"`
	Detail     string `json:"detail,omitempty"`

	// Owner holds the lease until LeaseUntil. Fence grows by one with each claim; a
	// write that carries an older one is refused.
	Owner      string    `json:"owner,omitempty"`
	Fence      int64     `json:"fence"`
	LeaseUntil time.Time `json:"lease_until,omitzero"`

	// Rulings are what persons decided where it needed review, oldest first.
	Rulings []Ruling `json:"rulings,omitempty"`

	// History has an entry for each transition, oldest first.
	History []Entry `json:"history"`
}

// KeyText is the idempotency key of the current generation: the action ID, of later
// ones with their number.
func (r *Receipt) KeyText() string {
	if r.Key.Generation > 1 {
		return fmt.Sprintf("%s:g%d", r.ActionID, r.Key.Generation)
	}
	return r.ActionID
}

// Key is the idempotency key of the current generation.
type Key struct {
	// Generation counts from 1. The next one is used only after the target replayed
	// a stored failure, or forgot the key, and a look-up proved absence; or, where
	// nothing can be looked up, after a refusal that was heard and left nothing open.
	Generation int `json:"generation"`
	// Since is when the key was first sent; zero while it was not.
	Since time.Time `json:"since,omitzero"`
	// ApprovalID is the approval under which it was first sent.
	ApprovalID string `json:"approval_id,omitempty"`
	// Poisoned: the target replays a failure under it.
	Poisoned bool `json:"poisoned,omitempty"`
}

// Entry is one transition with its time.
type Entry struct {
	State   State     `json:"state"`
	At      time.Time `json:"at"`
	Attempt int       `json:"attempt,omitempty"`
}

// To returns the receipt moved to a state at a time. The store checks the move.
// A settled receipt gives its lease back.
func (r Receipt) To(s State, at time.Time) Receipt {
	r.Unshare()
	r.Move(s, at)
	return r
}

// Move is [Receipt.To] in place, for whoever claimed the receipt and alone moves it on: a
// receipt is large, and an executor moves one at every step. It returns r. The history is
// written on behind its end, where nobody looks who has a receipt of before.
func (r *Receipt) Move(s State, at time.Time) *Receipt {
	r.State = s
	r.History = append(r.History, Entry{s, at, r.Attempt})
	if s.Settled() {
		r.Release()
	}
	return r
}

// Unshare lets the receipt go on from a history that others may go on from too, such as
// who held it before: the next move writes it elsewhere.
func (r *Receipt) Unshare() { r.History = slices.Clip(r.History) }

// Leased returns the receipt with a lease that runs from now.
func (r Receipt) Leased(now time.Time, d time.Duration) Receipt {
	r.Lease(now, d)
	return r
}

// Lease is [Receipt.Leased] in place.
func (r *Receipt) Lease(now time.Time, d time.Duration) { r.LeaseUntil = now.Add(d) }

// Released returns the receipt without a lease. The fence stays.
func (r Receipt) Released() Receipt {
	r.Release()
	return r
}

// Release is [Receipt.Released] in place.
func (r *Receipt) Release() { r.LeaseUntil, r.Owner = time.Time{}, "" }

// Held reports whether a lease guards the receipt at that time.
func (r *Receipt) Held(now time.Time) bool { return !r.State.Settled() && now.Before(r.LeaseUntil) }

// Last returns when the receipt last came into a state, or the zero time.
func (r *Receipt) Last(s State) time.Time {
	for i := len(r.History) - 1; i >= 0; i-- {
		if e := &r.History[i]; e.State == s {
			return e.At
		}
	}
	return time.Time{}
}
