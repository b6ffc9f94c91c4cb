package fakes

import (
	"fmt"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
	"github.com/retrydrill/drill/targets"
)

// ways are how this fake behaves: what the profile says, changed by the settings.
type ways struct {
	// keys is what the profile says of keys; kept: they are.
	keys targets.Idempotency
	kept bool
	// stored says of statuses whether answers of them are kept, as far as that was asked.
	stored reuse.Table[int, bool]
	// retention is how long a key is kept, lag how far reads are behind; 0 is for
	// ever and not at all.
	retention, lag time.Duration
	// latency is how long the target works on a request.
	latency time.Duration
	// async is how long accepted work takes where the trial says so, then how it ends.
	async time.Duration
	then  string
	// deleted is how long an object stands before a stranger deletes it; 0 is for ever.
	deleted time.Duration
	lookup  string
	door    door
	// settings and limits are what they were worked out of, where done.
	settings harness.Settings
	limits   harness.Limits
	done     bool
}

// set works out the ways of a trial.
func (w *ways) set(p *targets.Profile, o *Options) error {
	s, l := &o.Settings, o.Limits
	w.door.reset()
	if w.done && *s == w.settings && l == w.limits {
		return nil
	}
	w.done = false
	w.stored.Reset()
	if err := s.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := possible(p, s); err != nil {
		return err
	}
	promised := p.Promises()
	w.keys, w.kept = p.Idempotency, promised.Key.Kept && s.KeyMode != harness.KeyIgnore
	w.retention, w.lag, w.latency = promised.Key.Retention.D(), s.StaleRead.In(l), s.Latency.In(l)
	w.async, w.then, w.deleted, w.lookup = s.Async.After.In(l), s.Async.Then, s.ForeignDelete.In(l), s.Lookup
	w.door.rate, w.door.shut, w.door.open = s.Throttle, s.Maintenance.After.In(l), 0
	if !s.Maintenance.For.IsZero() {
		w.door.open = w.door.shut + s.Maintenance.For.In(l)
	}
	if s.ForgetKey {
		w.retention = l.Retention.D()
	}
	if !s.ForgetAfter.IsZero() {
		w.retention = s.ForgetAfter.In(l)
	}
	if s.Lookup == harness.LookupLagging {
		if w.lag = max(w.lag, promised.Lookup.Lag.D()); w.lag == 0 {
			w.lag = l.Lease.D()
		}
	}
	w.keyMode(s.KeyMode)
	w.settings, w.limits, w.done = *s, l, true
	return nil
}

// stores reports whether the answer to a write that was carried out is kept under its key.
// It is called under the fake's lock.
func (w *ways) stores(status int) bool {
	if is := w.stored.Find(status); is != nil {
		return *is
	}
	is := w.keys.Stored.Keeps(true, status)
	w.stored.Set(status, is)
	return is
}

// keyMode changes what is kept under a key, and how a repeat is answered.
func (w *ways) keyMode(mode string) {
	switch mode {
	case harness.KeyReplay:
		w.keys.Same = "replay"
	case harness.KeyReplayUnmarked:
		w.keys.Same, w.keys.ReplayHeader = "replay", nil
	case harness.KeyStoreErrors:
		w.keys.Stored = targets.Stored{Executed: []string{"success", "error", "5xx"}, Never: []any{"validation"}}
	case harness.KeyAcceptMismatch:
		w.keys.Other = targets.Reaction{Word: "replay"}
	}
}

// Takes says why a fake of the profile can not be set so, or nothing.
func Takes(p *targets.Profile) func(harness.Settings) error {
	return func(s harness.Settings) error { return possible(p, &s) }
}

// possible refuses a setting that could not strike at this profile.
func possible(p *targets.Profile, s *harness.Settings) error {
	if s.KeyMode == "" && s.Async.After.IsZero() && s.Present == "" && s.Lookup == "" {
		return nil
	}
	promised := p.Promises()
	shows := func(step string) targets.Operation { return p.Operations[p.FindOf(step)] }
	steps := p.Steps()
	paged := slices.ContainsFunc(steps, func(step string) bool { return shows(step).Paging != nil })
	byKey := slices.ContainsFunc(steps, func(step string) bool {
		for _, template := range shows(step).Query {
			if template == "${business_key}" {
				return true
			}
		}
		return false
	})
	async := slices.ContainsFunc(steps, func(step string) bool { return p.Operations[step].Async != nil })
	for _, need := range []struct {
		wanted, met bool
		what        string
	}{
		{s.KeyMode != "", promised.Key.Kept, "key-mode needs a profile that keeps keys"},
		{!s.Async.After.IsZero(), async, "async needs an operation that answers before the work is done"},
		{s.Present != "", slices.Contains(p.Parts, s.Present), "present names no part of the profile"},
		{s.Lookup == harness.LookupPaged, paged && byKey && !promised.UniqueNames, "lookup paged needs a paged look-up by a business key that several may have"},
		{s.Lookup == harness.LookupSeveral, p.Reference != "" && !promised.UniqueNames && !promised.ClientIDs, "lookup several needs a reference that several may have"},
		{s.Lookup == harness.LookupNone || s.Lookup == harness.LookupLagging, len(promised.Lookup.By) > 0, "lookup needs a profile that has one"},
	} {
		if need.wanted && !need.met {
			return fmt.Errorf("settings: %s", need.what)
		}
	}
	return nil
}
