package harness

import (
	"fmt"
	"slices"
	"strings"
)

// Settings change the target for one trial. A profile promises; a setting stays
// within that or steps outside it: then the target breaks a promise which the
// executor relies on, the promises in the history stay what the executor was told,
// and [Settings.Outside] says so for a caveat.
type Settings struct {
	// ForgetKey replaces the profile's retention by the declared one, and the
	// executor is told: within. ForgetAfter by another span: outside where that is
	// shorter than what is promised.
	ForgetKey   bool `json:"forget_key,omitempty" yaml:"forget-key,omitempty"`
	ForgetAfter Span `json:"forget_after,omitzero" yaml:"forget-after,omitempty"`
	// StaleRead lets reads lag behind writes: within up to the declared lag.
	StaleRead Span `json:"stale_read,omitzero" yaml:"stale-read,omitempty"`
	// ForeignObject plants a stranger's object under the action's name: within, as no
	// target promises that its user is alone. So are ForeignDelete and Present.
	ForeignObject bool `json:"foreign_object,omitempty" yaml:"foreign-object,omitempty"`
	// ForeignDelete has a stranger delete each object that long after it was made.
	ForeignDelete Span `json:"foreign_delete_after,omitzero" yaml:"foreign-delete-after,omitempty"`
	// Present names a part of the action's effect that is there from the start.
	Present string `json:"present,omitempty" yaml:"present,omitempty"`
	// KeyMode has keys treated so, whatever the profile says; see [KeyModes].
	KeyMode string `json:"key_mode,omitempty" yaml:"key-mode,omitempty"`
	// Lookup has look-ups answered so; see [Lookups].
	Lookup string `json:"lookup,omitempty" yaml:"lookup,omitempty"`
	// Async has work end so, where the profile says that work goes on after the
	// answer: done and fail are within, vanish is too, as acceptance promises no more.
	Async Async `json:"async,omitzero" yaml:"async,omitempty"`
	// Latency is how long the target works on each request, its key claimed and
	// nothing committed: within.
	Latency Span `json:"latency,omitzero" yaml:"latency,omitempty"`
	// Throttle is how many requests a second the target takes; 0 is all. The others
	// get the profile's throttled answer with Retry-After: within.
	Throttle int `json:"throttle,omitempty" yaml:"throttle,omitempty"`
	// Maintenance is a window in which all is refused and nothing is done: within.
	Maintenance Window `json:"maintenance,omitzero" yaml:"maintenance,omitempty"`
}

// Async says how work ends that was accepted.
type Async struct {
	// After is how long it takes; Then is done (also where it is empty), fail (the
	// object tells that it failed, its effect is taken back) or vanish (the object is
	// gone).
	After Span   `json:"after,omitzero" yaml:"after,omitempty"`
	Then  string `json:"then,omitempty" yaml:"then,omitempty"`
}

// Window begins After the trial's start and lasts For.
type Window struct {
	After Span `json:"after,omitzero" yaml:"after,omitempty"`
	For   Span `json:"for,omitzero" yaml:"for,omitempty"`
}

// The modes of keys. Each is outside the profile's promise where that says otherwise.
const (
	// KeyIgnore: keys are read and nothing is kept under them.
	KeyIgnore = "ignore"
	// KeyReplay: a repeat gets the first answer, marked as the profile marks it.
	KeyReplay = "replay"
	// KeyReplayUnmarked: a repeat gets the first answer without a mark.
	KeyReplayUnmarked = "replay-unmarked"
	// KeyStoreErrors: every outcome is kept once execution began, failures among it.
	KeyStoreErrors = "store-errors"
	// KeyAcceptMismatch: other arguments under a kept key get the first answer.
	KeyAcceptMismatch = "accept-mismatch"
)

// KeyModes lists the modes of keys.
var KeyModes = []string{KeyIgnore, KeyReplay, KeyReplayUnmarked, KeyStoreErrors, KeyAcceptMismatch}

// The modes of look-ups.
const (
	// LookupNone: reads are answered as an address that the target does not have.
	// Outside, where the profile promises a look-up.
	LookupNone = "none"
	// LookupLagging: reads lag by the declared lag: within. Where none is declared
	// they lag by a declared lease: outside.
	LookupLagging = "lagging"
	// LookupPaged: a page holds one object, and each write is followed by a stranger's
	// under the same business key, which stands before it: within.
	LookupPaged = "paged"
	// LookupSeveral: each write is followed by a stranger's copy of its object, with
	// the same reference: within, as no target promises that a reference is unique.
	LookupSeveral = "several"
)

// Lookups lists the modes of look-ups.
var Lookups = []string{LookupNone, LookupLagging, LookupPaged, LookupSeveral}

// The ends of work that was accepted.
const (
	AsyncDone   = "done"
	AsyncFail   = "fail"
	AsyncVanish = "vanish"
)

// AsyncEnds lists them.
var AsyncEnds = []string{AsyncDone, AsyncFail, AsyncVanish}

// Validate refuses a word that nobody knows and a number that means nothing.
func (s *Settings) Validate() error {
	switch {
	case !oneOf(s.KeyMode, KeyModes):
		return notOneOf("key-mode", s.KeyMode, KeyModes)
	case !oneOf(s.Lookup, Lookups):
		return notOneOf("lookup", s.Lookup, Lookups)
	case !oneOf(s.Async.Then, AsyncEnds):
		return notOneOf("async: then", s.Async.Then, AsyncEnds)
	case s.Throttle < 0:
		return fmt.Errorf("throttle is %d requests a second: expected at least 1, or none", s.Throttle)
	case s.Maintenance.For.IsZero() && !s.Maintenance.After.IsZero():
		return fmt.Errorf("maintenance lasts no time: expected for, like 200ms")
	case s.Async.After.IsZero() && s.Async.Then != "":
		return fmt.Errorf("async takes no time: expected after, like 200ms")
	}
	return nil
}

// oneOf reports whether a value is known or left out.
func oneOf(value string, known []string) bool { return value == "" || slices.Contains(known, value) }

func notOneOf(key, value string, known []string) error {
	return fmt.Errorf("%s is %q: expected %s", key, value, strings.Join(known, ", "))
}

// CanBreak reports whether a setting is in force that breaks a promise of some target.
func (s *Settings) CanBreak() bool {
	return !s.ForgetAfter.IsZero() || !s.StaleRead.IsZero() || s.KeyMode != "" || s.Lookup != ""
}

// Outside lists the settings in force that break a promise, each with the promise.
// Nothing listed means that the target kept all that it promised.
func (s Settings) Outside(p Promises, l Limits) []string {
	if !s.CanBreak() {
		return nil
	}
	var out []string
	add := func(broken bool, format string, args ...any) {
		if broken {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	k := p.Key
	after := s.ForgetAfter.In(l)
	add(after > 0 && k.Kept && (k.Retention == 0 || after < k.Retention.D()),
		"forget-after %s: keys are promised to be kept longer", s.ForgetAfter)
	lag := s.StaleRead.In(l)
	add(lag > p.Lookup.Lag.D() && p.Lookup.Authoritative, "stale-read %s: reads are promised to lag by %s at most", s.StaleRead, p.Lookup.Lag)
	add(k.Kept && s.KeyMode == KeyIgnore, "key-mode ignore: a repeated key is promised to make nothing more")
	add(k.Kept && s.KeyMode == KeyReplay && k.Same != "replay", "key-mode replay: a repeat is promised to be answered by %s", k.Same)
	add(k.Kept && s.KeyMode == KeyReplayUnmarked && (k.Marked || k.Same != "replay"), "key-mode replay-unmarked: a replay is promised to be marked or to tell of now")
	add(k.Kept && s.KeyMode == KeyStoreErrors && !k.StoresErrors, "key-mode store-errors: a failure is promised not to be kept under its key")
	add(k.Kept && s.KeyMode == KeyAcceptMismatch && k.Other != "replay", "key-mode accept-mismatch: other arguments under a key are promised to get %s", k.Other)
	add(len(p.Lookup.By) > 0 && s.Lookup == LookupNone, "lookup none: a look-up by %s is promised", strings.Join(p.Lookup.By, ", "))
	add(s.Lookup == LookupLagging && p.Lookup.Lag == 0 && p.Lookup.Authoritative, "lookup lagging: reads are promised not to lag")
	return out
}
