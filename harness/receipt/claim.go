package receipt

import (
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Claim asks for the receipt of an action.
type Claim struct {
	ActionID, TriggerKey, BusinessKey, Effect string
	// Ordinal is that of [Receipt].
	Ordinal   int
	Arguments harness.Arguments
	Digest    string
	// Approval is what came with the delivery; Covered says that it is valid for
	// Digest now.
	Approval harness.Approval
	Covered  bool
	// Delivery counts the hand-overs of the trigger, from 1; 0 where that is not known.
	Delivery int
	// Owner takes the lease for Lease from Now.
	Owner string
	Lease time.Duration
	Now   time.Time
}

// Alike reports whether a receipt is that of the same intent under another action
// ID: the same trigger asked for the same thing, and its producer minted twice.
func (c *Claim) Alike(r Receipt) bool { return c.alike(&r) }

func (c *Claim) alike(r *Receipt) bool {
	return r.TriggerKey == c.TriggerKey && r.BusinessKey == c.BusinessKey && r.Effect == c.Effect &&
		r.Digest == c.Digest && r.Ordinal == c.Ordinal
}

// Decision is what a claim comes to.
type Decision struct {
	Receipt Receipt
	// Write: the receipt has to be stored. Fresh: it did not exist before.
	Write, Fresh bool
	// Uses is the single-use approval that this receipt consumes, or empty.
	Uses string

	// since counts what the store that decided had changed before.
	since int
}

// Decide says what a claim comes to. found is the receipt of the action, or one
// that is alike, or nil; usedBy is the action that consumed the claim's single-use
// approval, or empty. It is pure; a store calls it inside its transaction.
//
// Facts come before consent: what has an outcome is returned whatever approval the
// delivery carries, and what may be out can be claimed to look it up. Nothing new
// begins without a valid approval.
func Decide(c Claim, found *Receipt, usedBy string) (d Decision, err error) {
	err = d.decide(&c, found, usedBy, newHistory)
	return d, err
}

// decide is [Decide] in place. Where it returns an error, d is left alone. The history of
// a new receipt is begun in the room that history gives.
func (d *Decision) decide(c *Claim, found *Receipt, usedBy string, history func() []Entry) error {
	id := c.ActionID
	if found != nil {
		id = found.ActionID
	}
	spent := c.Approval.SingleUse && usedBy != "" && usedBy != id
	if found == nil {
		if err := c.consent(spent, usedBy); err != nil {
			return err
		}
		d.begin(c, history())
		return nil
	}
	// Only an approval of this very action renews it. One that came with the same
	// intent minted under another ID is not about what was refused, unless that was told
	// under this ID too, and one that a newer one came after was answered by the refusal: a
	// worker that still has it goes on under the newer one.
	own := found.ActionID == c.ActionID
	told := own || slices.Contains(found.Minted, c.ActionID)
	newer := c.Newer(found)
	renewed := newer && told && found.State == Rejected
	switch {
	case renewed && spent:
		return c.consent(spent, usedBy)
	case renewed:
		d.renew(c, found)
		return nil
	case found.Digest != c.Digest:
		return &ChangedError{Receipt: *found, Digest: c.Digest}
	case found.State.Settled():
		*d = Decision{Receipt: *found}
		d.Receipt.Unshare()
		return nil
	case found.Held(c.Now):
		return &HeldError{Receipt: *found}
	case !found.State.Open():
		if err := c.consent(spent, usedBy); err != nil {
			return err
		}
	}
	*d = Decision{Receipt: *found, Write: true}
	d.Receipt.Unshare()
	d.Receipt.take(c)
	switch {
	case !newer || spent:
	case own || !found.State.Open():
		d.Receipt.under(c)
	default:
		d.Receipt.Superseded = append(slices.Clip(d.Receipt.Superseded), c.Approval.ID)
	}
	if !told {
		d.Receipt.Minted = append(slices.Clip(d.Receipt.Minted), c.ActionID)
	}
	if c.Covered && !spent && d.Receipt.ApprovalID == c.Approval.ID {
		d.Uses = c.uses()
	}
	return nil
}

// Newer reports whether the claim's approval covers what it asks for and came after the
// one that a receipt is under. One that came with an earlier hand-over of the trigger did
// not, though the worker that has it may be the last to come to the receipt.
func (c *Claim) Newer(than *Receipt) bool {
	earlier := c.TriggerKey == than.TriggerKey && c.Delivery > 0 && c.Delivery < than.ApprovalDelivery
	return c.Covered && c.Approval.ID != than.ApprovalID && !earlier && !slices.Contains(than.Superseded, c.Approval.ID)
}

func (c *Claim) consent(spent bool, usedBy string) error {
	if !c.Covered {
		return ErrNotApproved
	}
	if spent {
		return fmt.Errorf("%w: approval %s was used by %s", ErrSpent, c.Approval.ID, usedBy)
	}
	return nil
}

func (c *Claim) uses() string {
	if c.Approval.SingleUse {
		return c.Approval.ID
	}
	return ""
}

// mostMoves is how many entries the history of most receipts has in the end: prepared,
// approved, sent, unknown, confirmed.
const mostMoves = 5

func newHistory() []Entry { return make([]Entry, 0, mostMoves) }

// begin makes a new receipt, prepared and approved in one write.
func (d *Decision) begin(c *Claim, history []Entry) {
	*d = Decision{Write: true, Fresh: true, Uses: c.uses()}
	r := &d.Receipt
	r.ActionID, r.TriggerKey, r.BusinessKey, r.Effect = c.ActionID, c.TriggerKey, c.BusinessKey, c.Effect
	r.Ordinal, r.Digest, r.Arguments, r.Key.Generation = c.Ordinal, c.Digest, c.Arguments, 1
	r.ApprovalID, r.PolicyVersion, r.ApprovalDelivery = c.Approval.ID, c.Approval.PolicyVersion, c.Delivery
	r.State, r.History = Approved, append(history, Entry{State: Prepared, At: c.Now}, Entry{State: Approved, At: c.Now})
	r.take(c)
}

// renew takes up a rejected receipt under a new approval, which may cover other
// arguments. The attempts of the past stay counted.
func (d *Decision) renew(c *Claim, rejected *Receipt) {
	*d = Decision{Receipt: *rejected, Write: true, Uses: c.uses()}
	r := &d.Receipt
	r.Unshare()
	r.Arguments, r.Digest = c.Arguments, c.Digest
	r.under(c)
	r.ErrorClass, r.Detail = "", ""
	r.Move(Approved, c.Now).take(c)
}

// under puts the receipt under a claim's newer approval.
func (r *Receipt) under(c *Claim) {
	r.Superseded = append(slices.Clip(r.Superseded), r.ApprovalID)
	r.ApprovalID, r.PolicyVersion, r.ApprovalDelivery = c.Approval.ID, c.Approval.PolicyVersion, 0
	if c.TriggerKey == r.TriggerKey {
		r.ApprovalDelivery = c.Delivery
	}
}

// take gives the receipt to the owner of a claim.
func (r *Receipt) take(c *Claim) {
	r.Owner = c.Owner
	r.Fence++
	r.Lease(c.Now, c.Lease)
}
