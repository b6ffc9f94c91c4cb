package harness

import (
	"sync/atomic"
	"time"
)

// Action is one intended business effect, as approved.
type Action struct {
	// Name is the schedule's name for it (A, B, …), never shown to a worker.
	Name string `json:"name" yaml:"name"`
	// ID is the stable action ID, made before the write.
	ID string `json:"action_id" yaml:"action_id"`
	// TriggerKey names the upstream event that asks for it.
	TriggerKey string `json:"trigger_key" yaml:"trigger_key"`
	// BusinessKey names the thing that is changed (a charge, a record).
	BusinessKey string `json:"business_key" yaml:"business_key"`
	// Effect is the kind of effect, in the user's words (refund, ticket).
	Effect string `json:"effect" yaml:"effect"`
	// Arguments are what was approved.
	Arguments Arguments `json:"arguments" yaml:"arguments"`
	// Changed says what "changed arguments" means: RFC 6901 pointers to new values.
	Changed map[string]any `json:"changed,omitempty" yaml:"changed,omitempty"`
	// Spelled are the same arguments in another spelling of their normal form.
	Spelled Arguments `json:"spelled,omitempty" yaml:"spelled,omitempty"`
	// Approval covers the arguments by their digest.
	Approval Approval `json:"approval" yaml:"approval"`
}

// Approval is a consent bound to the digest of the arguments.
type Approval struct {
	ID              string `json:"id" yaml:"id"`
	ArgumentsSHA256 string `json:"arguments_sha256" yaml:"arguments_sha256"`
	PolicyVersion   string `json:"policy_version" yaml:"policy_version"`
	// Status is granted, denied or none.
	Status string `json:"status" yaml:"status"`
	// ValidUntil is RFC 3339 with seconds, in UTC.
	ValidUntil string `json:"valid_until" yaml:"valid_until"`
	// SingleUse: one action only, however often that action is retried.
	SingleUse bool `json:"single_use" yaml:"single_use"`
}

// The states of an approval.
const (
	Granted = "granted"
	Denied  = "denied"
	NoGrant = "none"
)

// Covers reports whether the approval is granted for arguments of this digest
// under the given policy version and at the given time.
func (a Approval) Covers(digest, policyVersion string, now time.Time) bool {
	if a.Status != Granted || a.ArgumentsSHA256 != digest || a.PolicyVersion != policyVersion {
		return false
	}
	until, err := readEnd(a.ValidUntil)
	return err == nil && now.Before(until)
}

// lastEnd is the end of an approval that was read last: most approvals of a search have
// the same.
var lastEnd atomic.Pointer[approvalEnd]

type approvalEnd struct {
	text string
	at   time.Time
}

func readEnd(text string) (time.Time, error) {
	if e := lastEnd.Load(); e != nil && e.text == text {
		return e.at, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err == nil {
		lastEnd.Store(&approvalEnd{text, at})
	}
	return at, err
}
