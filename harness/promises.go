package harness

import (
	"slices"
	"time"
)

// Promises are what a profile promises about retries, as data. A history carries
// them, so that it can be judged without the profile.
type Promises struct {
	Profile string `json:"profile"`
	// Protocol is empty for HTTP, else what the target speaks.
	Protocol string      `json:"protocol,omitempty"`
	Key      KeyPromise  `json:"key"`
	Lookup   FindPromise `json:"lookup"`
	// Reference says where the action ID is stamped on an object, or is empty.
	Reference string `json:"reference,omitempty"`
	// UniqueNames: a second effect under one business key is refused.
	UniqueNames bool `json:"unique_names,omitempty"`
	// ClientIDs: the client chooses the resource's ID.
	ClientIDs bool `json:"client_ids,omitempty"`
	// Errors map (status, code) to a class; the first match counts.
	Errors []ErrorClass `json:"errors"`
	// Parts are the parts of one effect; none means one part.
	Parts []string `json:"parts,omitempty"`
	// Steps make them, in the order of the parts.
	Steps []Step `json:"steps,omitempty"`
	// Cancel, Events: the profile has an undo, or tells by itself.
	Cancel bool `json:"cancel,omitempty"`
	Events bool `json:"events,omitempty"`
}

// Step is an operation that makes parts of an effect.
type Step struct {
	Op string `json:"op"`
	// Parts are what one request commits.
	Parts []string `json:"parts"`
	// FoundBy is the look-up that shows it, Undo the operation that takes it back.
	FoundBy string `json:"found_by,omitempty"`
	Undo    string `json:"undo,omitempty"`
	// Unique: a second one under one business key is refused.
	Unique bool `json:"unique,omitempty"`
}

// KeyPromise is what the target does with a repeated idempotency key.
type KeyPromise struct {
	// Kept: the target dedups on a key that the client sends.
	Kept bool `json:"kept"`
	// InBody: the key stands in the body, so that a torn request does not show it.
	InBody bool `json:"in_body,omitempty"`
	// Retention is how long a key is remembered; 0 is without end.
	Retention Duration `json:"retention,omitempty"`
	// Scope is account, endpoint, resource or none.
	Scope string `json:"scope,omitempty"`
	// Same is replay, equivalent or re-execute.
	Same string `json:"same_arguments,omitempty"`
	// Other is what other arguments under one key get: refuse, replay or execute.
	Other string `json:"other_arguments,omitempty"`
	// StoresErrors: a definite failure is kept under the key and replayed.
	StoresErrors bool `json:"stores_errors,omitempty"`
	// Unkept are refusals that leave the key free although others are kept under it:
	// a repeat is decided anew.
	Unkept []int `json:"unkept,omitempty"`
	// InFlight is the answer while the first is still at work; 0 means it waits.
	InFlight int `json:"in_flight,omitempty"`
	// InFlightCode is the error code that goes with it.
	InFlightCode string `json:"in_flight_code,omitempty"`
	// Marked: a replayed answer carries a marker.
	Marked bool `json:"marked,omitempty"`
	// OtherCode is the error code of a refused key with other arguments.
	OtherCode string `json:"other_code,omitempty"`
}

// Dedups reports whether a repeat under the key of a request that was carried out is not
// carried out again.
func (k *KeyPromise) Dedups() bool { return k.Kept && k.Same != "re-execute" }

// KeepsRefusal reports whether a refusal of this status is kept under its key. What
// comes under the key before or after it is then answered with it, so that it is the
// answer to an attempt in doubt as well. One that is not kept says nothing of an
// earlier attempt that is still on its way.
func (k *KeyPromise) KeepsRefusal(status int) bool {
	return k.Dedups() && k.StoresErrors && !slices.Contains(k.Unkept, status)
}

// FindPromise is what a look-up can tell.
type FindPromise struct {
	// By lists business_key, key, reference, id.
	By []string `json:"by,omitempty"`
	// Lag is how far a read may be behind a write.
	Lag Duration `json:"lag,omitempty"`
	// MaxInFlight is how long after an attempt its effect may still appear.
	MaxInFlight Duration `json:"max_in_flight,omitempty"`
	// Authoritative: once lag and MaxInFlight have passed, not found means absent.
	Authoritative bool `json:"authoritative"`
}

// ErrorClass gives the class of answers with this status and code.
type ErrorClass struct {
	Status int `json:"status" yaml:"status"`
	// Code is empty where any code is meant.
	Code  string `json:"code,omitempty" yaml:"code,omitempty"`
	Class Class  `json:"class" yaml:"class"`
}

// Classify returns the class of an answer: 2xx is confirmed, a listed pair is what
// the list says, and all else, HTML and unlisted 5xx and 408 among it, is unknown.
func (p *Promises) Classify(status int, code string) Class {
	if status >= 200 && status < 300 {
		return Confirmed
	}
	for _, e := range p.Errors {
		if e.Status == status && (e.Code == "" || e.Code == code) {
			return e.Class
		}
	}
	return Unknown
}

// ClassOf is Classify for a read answer: what is not of the profile's shape is
// unknown, whatever its status.
func (p *Promises) ClassOf(status int, a *Answered) Class {
	if a.Opaque {
		return Unknown
	}
	return p.Classify(status, a.Code)
}

// CanFind reports whether an effect can be looked up by what is known before its
// answer. The ID is not, unless the client chose it.
func (p *Promises) CanFind() bool {
	return slices.ContainsFunc(p.Lookup.By, func(by string) bool { return by != "id" || p.ClientIDs })
}

// ProvesAbsence reports whether a look-up that finds nothing says that nothing was done.
func (p *Promises) ProvesAbsence() bool { return p.CanFind() && p.Lookup.Authoritative }

// RepeatHarmless reports whether a repeat of the same request with the given key
// can not make a second effect, at that time after the first.
func (p *Promises) RepeatHarmless(key string, after time.Duration) bool {
	if p.ClientIDs || p.UniqueNames {
		return true
	}
	return key != "" && p.Key.Dedups() &&
		(p.Key.Retention == 0 || after < time.Duration(p.Key.Retention))
}

// OffersCopies reports whether the harness may let a copy or a late request arrive:
// only where the profile makes a repeat harmless.
func (p *Promises) OffersCopies() bool {
	return p.ClientIDs || p.UniqueNames || p.Key.Dedups()
}
