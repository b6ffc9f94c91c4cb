package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// standing is what stood behind a report: what the worker could know of the
// action when it reported.
type standing struct {
	// mutations counts those for the action by anybody, own those by this life.
	mutations, own int
	// decided is this life's last mutation with a definite answer.
	decided *attempt
	// last is the class of this life's last mutation.
	last harness.Class
	// unsure: an answer left for this life too late to tell whether it was heard.
	unsure bool
	// open is a mutation of this life whose outcome is unknown.
	open *attempt
	// refused are the consents under which somebody was refused before.
	refused among[string]
	// unknown: somebody got no definite answer.
	unknown bool
	// shown: an answer or a look-up showed before that the effect exists.
	shown bool
	// classes are those of all answers before, reads among them.
	classes among[harness.Class]
}

// knowledge is what one life knows of one action, while the history is walked.
type knowledge struct {
	own     int
	decided *attempt
	last    *attempt
	unsure  bool
	open    outstanding
}

// stand walks the line of each action of an intent and says what stood behind its
// reports.
func (v *View) stand(r *root) {
	shown := v.shown(r)
	for _, a := range r.members {
		var s standing
		lives := map[*life]*knowledge{}
		flying := map[*attempt]bool{}
		for _, it := range a.line {
			if it.report != nil {
				it.report.standing = v.snapshot(s, lives[it.report.life], it.Seq, len(flying) > 0)
				it.report.standing.shown = shown != 0 && shown < it.Seq
				continue
			}
			k := lives[it.attempt.life]
			if k == nil {
				k = &knowledge{}
				lives[it.attempt.life] = k
			}
			v.learn(&s, k, it)
			if it.Kind == harness.EvRequest && it.attempt.Changes {
				flying[it.attempt] = true
			} else {
				delete(flying, it.attempt)
			}
		}
	}
}

func (v *View) learn(s *standing, k *knowledge, it item) {
	at := it.attempt
	switch {
	case it.Kind == harness.EvRequest && at.Changes && v.undoes(at.Op):
		k.open.add(at)
	case it.Kind == harness.EvPassed && at.Changes && v.undoes(at.Op):
		v.resolves(&k.open, at)
	case it.Kind == harness.EvRequest && at.Changes:
		s.mutations++
		k.own++
		k.last = at
		k.open.add(at)
		if !at.class.Definite() {
			s.unknown = true
			s.classes = with(s.classes, harness.Unknown)
		}
	case it.Kind == harness.EvPassed:
		s.classes = with(s.classes, at.class)
		if at.doubtful || at.late {
			k.unsure = true
			s.classes = with(s.classes, harness.Unknown)
		}
		if !at.Changes {
			if at.class.Definite() {
				k.open.closeBefore(at.Seq)
			}
			return
		}
		if at.class.Definite() {
			k.decided = at
		}
		if at.class.Rejected() {
			s.refused = with(s.refused, at.approval())
		}
		v.resolves(&k.open, at)
	}
}

// among is a small set. It only grows, and what earlier snapshots hold stays.
type among[T comparable] []T

func (s among[T]) has(c T) bool { return slices.Contains(s, c) }

func with[T comparable](s among[T], c T) among[T] {
	if s.has(c) {
		return s
	}
	return append(slices.Clip(s), c)
}

func (v *View) snapshot(s standing, k *knowledge, seq int, flying bool) standing {
	if flying {
		s.classes = with(s.classes, harness.Unknown)
	}
	if k != nil {
		s.own, s.decided, s.unsure, s.open = k.own, k.decided, k.unsure, k.open.oldest()
		if k.last != nil {
			s.last = k.last.class
			if k.last.passed == nil || k.last.passed.Seq > seq {
				s.last = harness.Unknown
			}
		}
	}
	return s
}

// shown is the first event that showed a worker that the intent's effect exists.
func (v *View) shown(r *root) int {
	first := 0
	for _, a := range r.members {
		for _, it := range a.line {
			if it.Kind != harness.EvPassed || it.attempt.class != harness.Confirmed {
				continue
			}
			if it.attempt.Changes || len(it.Found) > 0 || it.lookup != nil && len(it.lookup.found) > 0 {
				if first == 0 || it.Seq < first {
					first = it.Seq
				}
				break
			}
		}
	}
	return first
}

// spent reports whether the limit on attempts was used up.
func (v *View) spent(s standing) bool {
	m := v.Schedule.Limits.MaxAttempts
	return m > 0 && s.mutations >= m
}
