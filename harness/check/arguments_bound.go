package check

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// argumentsBound: only arguments that an approval of the action covers by their
// digest have an effect or are reported as success. Whether that approval was
// valid is left to approval-bound. A notice brings no arguments, so that who reports at
// one speaks of those that were recorded.
func argumentsBound(v *View) (f Finding) {
	for _, r := range v.roots {
		if !r.approved.some {
			continue
		}
		for _, e := range r.effects {
			if e.Arguments == "" {
				continue
			}
			f.Inspected++
			if !r.approved.has(e.Arguments) {
				f.breach(r.name, "effects of approved arguments alone", "an effect of arguments that no approval covers", e.seq)
			}
		}
		for _, rep := range r.reports {
			if !rep.counted || rep.Report.Outcome != harness.Done || rep.given == nil || rep.given.Wire == "" || rep.place.notice() {
				continue
			}
			f.Inspected++
			if !r.approved.has(rep.given.Wire) {
				f.breach(r.name, "a refusal of arguments that no approval covers", "reported as done", rep.given.delivery.Seq, rep.Seq)
			}
		}
	}
	return f
}

// approve collects the arguments, as the profile reads them, that an approval of
// the intent names by their digest.
func (r *root) approve() {
	for _, a := range r.members {
		for _, g := range a.given {
			if g.Covered || g.Digest == g.Approval.ArgumentsSHA256 || r.names(g.Digest) {
				for _, wire := range g.wires {
					r.approved.add(wire)
				}
			}
		}
	}
}

// approved are arguments as the profile reads them: those of most intents are the same in
// each hand-over.
type approved struct {
	some   bool
	first  string
	others reuse.Table[string, bool]
}

func (s *approved) add(wire string) {
	switch {
	case !s.some:
		s.some, s.first = true, wire
	case wire != s.first:
		s.others.Set(wire, true)
	}
}

func (s *approved) has(wire string) bool {
	return s.some && wire == s.first || s.others.Get(wire)
}

func (s *approved) reset() {
	s.some, s.first = false, ""
	s.others.Reset()
}

// names reports whether an approval that the schedule has for the intent names the digest.
func (r *root) names(digest string) bool {
	if len(r.digests.Entries) == 0 {
		r.digests.Set("", false)
		for _, a := range r.members {
			if a.spec != nil && a.spec.Approval.ArgumentsSHA256 != "" {
				r.digests.Set(a.spec.Approval.ArgumentsSHA256, true)
			}
		}
	}
	return r.digests.Get(digest)
}
