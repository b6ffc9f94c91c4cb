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
	// Owner takes the lease for Lease from Now.
	Owner string
	Lease time.Duration
	Now   time.Time
}

// Alike reports whether a receipt is that of the same intent under another action
// ID: the same trigger asked for the same thing, and its producer minted twice.
func (c Claim) Alike(r Receipt) bool {
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
}

// Decide says what a claim comes to. found is the receipt of the action, or one
// that is alike, or nil; usedBy is the action that consumed the claim's single-use
// approval, or empty. It is pure; a store calls it inside its transaction.
//
// Facts come before consent: what has an outcome is returned whatever approval the
// delivery carries, and what may be out can be claimed to look it up. Nothing new
// begins without a valid approval.
func Decide(c Claim, found *Receipt, usedBy string) (Decision, error) {
	id := c.ActionID
	if found != nil {
		id = found.ActionID
	}
	spent := c.Approval.SingleUse && usedBy != "" && usedBy != id
	if found == nil {
		if err := consent(c, spent, usedBy); err != nil {
			return Decision{}, err
		}
		return c.begin(), nil
	}
	r := *found
	// Only an approval of this very action renews it. One that came with the same
	// intent minted under another ID is not about what was refused, and one that a
	// newer one came after was answered by the refusal: a worker that still has it
	// goes on under the newer one.
	own := r.ActionID == c.ActionID
	newer := c.Covered && c.Approval.ID != r.ApprovalID && !slices.Contains(r.Superseded, c.Approval.ID)
	renewed := newer && own && r.State == Rejected
	switch {
	case renewed && spent:
		return Decision{}, consent(c, spent, usedBy)
	case renewed:
		return c.renew(r), nil
	case r.Digest != c.Digest:
		return Decision{}, &ChangedError{Receipt: r, Digest: c.Digest}
	case r.State.Settled():
		return Decision{Receipt: r}, nil
	case r.Held(c.Now):
		return Decision{}, &HeldError{Receipt: r}
	case !r.State.Open():
		if err := consent(c, spent, usedBy); err != nil {
			return Decision{}, err
		}
	}
	d := Decision{Receipt: c.take(r), Write: true}
	if newer && !spent && (own || !r.State.Open()) {
		d.Receipt = d.Receipt.under(c.Approval)
	}
	if c.Covered && !spent && d.Receipt.ApprovalID == c.Approval.ID {
		d.Uses = c.uses()
	}
	return d, nil
}

func consent(c Claim, spent bool, usedBy string) error {
	if !c.Covered {
		return ErrNotApproved
	}
	if spent {
		return fmt.Errorf("%w: approval %s was used by %s", ErrSpent, c.Approval.ID, usedBy)
	}
	return nil
}

func (c Claim) uses() string {
	if c.Approval.SingleUse {
		return c.Approval.ID
	}
	return ""
}

// begin makes a new receipt, prepared and approved in one write.
func (c Claim) begin() Decision {
	r := Receipt{
		ActionID: c.ActionID, TriggerKey: c.TriggerKey, BusinessKey: c.BusinessKey, Effect: c.Effect,
		Ordinal: c.Ordinal, Digest: c.Digest, Arguments: c.Arguments, Key: Key{Generation: 1},
		ApprovalID: c.Approval.ID, PolicyVersion: c.Approval.PolicyVersion,
	}
	r.State, r.History = Approved, []Entry{{State: Prepared, At: c.Now}, {State: Approved, At: c.Now}}
	return Decision{Receipt: c.take(r), Write: true, Fresh: true, Uses: c.uses()}
}

// renew takes up a rejected receipt under a new approval, which may cover other
// arguments. The attempts of the past stay counted.
func (c Claim) renew(r Receipt) Decision {
	r.Arguments, r.Digest = c.Arguments, c.Digest
	r = r.under(c.Approval)
	r.ErrorClass, r.Detail = "", ""
	return Decision{Receipt: c.take(r.To(Approved, c.Now)), Write: true, Uses: c.uses()}
}

// under is the receipt with a newer approval.
func (r Receipt) under(a harness.Approval) Receipt {
	r.Superseded = append(slices.Clip(r.Superseded), r.ApprovalID)
	r.ApprovalID, r.PolicyVersion = a.ID, a.PolicyVersion
	return r
}

func (c Claim) take(r Receipt) Receipt {
	r.Owner = c.Owner
	r.Fence++
	return r.Leased(c.Now, c.Lease)
}
