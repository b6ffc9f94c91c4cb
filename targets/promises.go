package targets

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// Promises returns what the profile promises about retries, as data.
func (p *Profile) Promises() harness.Promises { return p.promises }

func (p *Profile) promise() harness.Promises {
	i := p.Idempotency
	// What does not parse was told by check.
	retention, _ := duration(i.Retention)
	lag, _ := duration(p.Lookup.Lag)
	inFlight, _ := duration(p.Lookup.MaxInFlight)
	out := harness.Promises{
		Profile:  p.Name,
		Protocol: p.Protocol,
		Lookup: harness.FindPromise{
			By:            p.Lookup.By,
			Lag:           lag,
			MaxInFlight:   inFlight,
			Authoritative: p.Lookup.Authoritative,
		},
		Reference: p.Reference,
		Errors:    p.Errors,
	}
	if i.Key.Header != "" || i.Key.Body != "" {
		out.Key = harness.KeyPromise{
			Kept:         i.Scope != "none",
			InBody:       i.Key.Body != "",
			Retention:    retention,
			Scope:        i.Scope,
			Same:         i.Same,
			Other:        i.Other.Word,
			StoresErrors: slices.Contains(i.Stored.Executed, "error") || slices.Contains(i.Stored.Executed, "5xx"),
			InFlight:     i.InFlight.Status,
			InFlightCode: i.InFlight.Code,
			OtherCode:    i.Other.Code,
			Marked:       len(i.ReplayHeader) > 0,
		}
		if i.Other.Word == "" {
			out.Key.Other = "refuse"
		}
		if out.Key.StoresErrors {
			out.Key.Unkept = p.unkept()
		}
	}
	if create, ok := p.Operations[p.steps[0]]; ok {
		out.ClientIDs = create.IDs == "client"
		out.UniqueNames = create.Unique == "business_key"
	}
	for _, op := range p.Operations {
		out.Cancel = out.Cancel || op.Undoes != ""
	}
	out.Parts, out.Events = p.Parts, len(p.Events.Of) > 0
	if len(p.Parts) > 0 {
		for _, step := range p.steps {
			out.Steps = append(out.Steps, harness.Step{Op: step, Parts: p.PartsOf(step), FoundBy: p.FindOf(step), Undo: p.UndoOf(step), Unique: p.Operations[step].Unique != ""})
		}
	}
	return out
}

// unkept are the statuses of refusals that the profile leaves out of what it
// keeps under a key.
func (p *Profile) unkept() (out []int) {
	for _, e := range p.Errors {
		if e.Class.Rejected() && !p.Stores(true, e.Status) && !slices.Contains(out, e.Status) {
			out = append(out, e.Status)
		}
	}
	return out
}

// Stores is [Stored.Keeps] of the profile.
func (p *Profile) Stores(executed bool, status int) bool {
	return p.Idempotency.Stored.Keeps(executed, status)
}

// Keeps reports whether an outcome is kept under its key: executed tells whether
// execution had begun.
func (s Stored) Keeps(executed bool, status int) bool {
	for _, never := range s.Never {
		switch n := never.(type) {
		case uint64:
			if int(n) == status {
				return false
			}
		case string:
			if n == "validation" && !executed {
				return false
			}
		}
	}
	switch {
	case status < 400:
		return slices.Contains(s.Executed, "success")
	case status < 500:
		return slices.Contains(s.Executed, "error")
	}
	return slices.Contains(s.Executed, "5xx")
}
