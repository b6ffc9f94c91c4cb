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
	// latest is the last mutation of anybody with a definite answer.
	latest *attempt
	// last is the class of this life's last mutation.
	last harness.Class
	// unsure: an answer left for this life too late to tell whether it was heard.
	unsure bool
	// open is a mutation of this life whose outcome is unknown.
	open *attempt
	// refused are the consents under which somebody was refused before, refusal is the last
	// attempt that was.
	refused among[consent]
	refusal *attempt
	// unknown: somebody got no definite answer.
	unknown bool
	// shown: an answer or a look-up showed before that the effect exists.
	shown bool
	// classes are those of all answers before, reads among them.
	classes classes
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
		var shared *anybody
		flying := 0
		line := a.line
		for i := range line {
			it := &line[i]
			if it.turn == tells {
				k := it.report.life.knowing(a)
				if k != nil && k.left(it.Event) && v.settled(&shared, line[:i], k.open.oldest()) {
					// What it left in an earlier hand-over without an end another one settled
					// meanwhile, and this one goes by the record of that.
					k = nil
				}
				s.snapshot(&it.report.standing, k, it.Seq, flying > 0)
				it.report.standing.shown = shown != 0 && shown < it.Seq
				continue
			}
			v.learn(&s, it.attempt.life.learning(a), it)
			switch at := it.attempt; {
			case it.turn == sends:
				at.flying = true
				flying++
			case at.flying:
				at.flying = false
				flying--
			}
		}
	}
}

// knowing is what the life learned of the action, or nil.
func (l *life) knowing(a *action) *knowledge {
	if l.about != a {
		return nil
	}
	return &l.knows
}

// learning is where it keeps what it learns of the action.
func (l *life) learning(a *action) *knowledge {
	if l.about != a {
		l.about, l.knows = a, knowledge{}
	}
	return &l.knows
}

// left: it left something open in an earlier hand-over than that of the event, or heard of
// nothing but that it did nothing, and did nothing since.
func (k *knowledge) left(e *harness.Event) bool {
	return k.last != nil && k.last.Delivery != e.Delivery && (k.open.oldest() != nil || k.decided == nil && !k.unsure)
}

// anybody is what all lives know of one action together, as far as a line was walked.
type anybody struct {
	knowledge
	walked int
}

// settled reports whether somebody knows at the end of the line what became of an attempt,
// if there is one. Few ask, so that the walk is made for them, and goes on from where it was.
func (v *View) settled(walk **anybody, line []item, a *attempt) bool {
	if a == nil {
		return true
	}
	if *walk == nil {
		*walk = &anybody{}
	}
	k := *walk
	var s standing
	for ; k.walked < len(line); k.walked++ {
		if it := &line[k.walked]; it.turn != tells {
			v.learn(&s, &k.knowledge, it)
		}
	}
	p := k.open.find(a)
	return p == nil || p.closed
}

func (v *View) learn(s *standing, k *knowledge, it *item) {
	at := it.attempt
	switch it.turn {
	case sends:
		k.open.add(at)
		if at.undo {
			return
		}
		s.mutations++
		k.own++
		k.last = at
		if !at.class.Definite() {
			s.unknown = true
			s.classes.add(harness.Unknown)
		}
	case reads:
		s.hears(k, at)
		if at.class.Definite() {
			k.open.closeBefore(at.Seq)
		}
	case gets:
		if at.undo {
			v.resolves(&k.open, at)
			return
		}
		s.hears(k, at)
		if at.class.Definite() {
			k.decided, s.latest = at, at
		}
		if at.class.Rejected() {
			s.refused = with(s.refused, at.approval())
			if s.refusal == nil || s.refusal.origin.Seq < at.origin.Seq {
				s.refusal = at
			}
		}
		v.resolves(&k.open, at)
	}
}

// hears takes in the class of an answer, and whether it was heard in time.
func (s *standing) hears(k *knowledge, at *attempt) {
	s.classes.add(at.class)
	if at.doubtful || at.late {
		k.unsure = true
		s.classes.add(harness.Unknown)
	}
}

// classes is a set of [harness.Classes], a bit for each.
type classes uint

func (s *classes) add(c harness.Class) {
	*s |= classOf(c)
}

func (s classes) has(c harness.Class) bool { return s&classOf(c) != 0 }

func classOf(c harness.Class) classes {
	switch c {
	case harness.NeverDispatched:
		return 1
	case harness.RejectedTransient:
		return 2
	case harness.RejectedPermanent:
		return 4
	case harness.Confirmed:
		return 8
	case harness.Unknown:
		return 16
	}
	return 0
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

// snapshot is what stood behind a report of the life that knows k.
func (s *standing) snapshot(at *standing, k *knowledge, seq int, flying bool) {
	*at = *s
	s = at
	if flying {
		s.classes.add(harness.Unknown)
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
}

// shown is the first event that showed a worker that the intent's effect exists.
func (v *View) shown(r *root) int {
	first := 0
	for _, a := range r.members {
		for i := range a.line {
			it := &a.line[i]
			if it.turn != gets && it.turn != reads || it.attempt.class != harness.Confirmed {
				continue
			}
			if it.turn == gets || len(it.Found) > 0 || it.lookup != nil && len(it.lookup.found) > 0 {
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
func (v *View) spent(s *standing) bool {
	m := v.Schedule.Limits.MaxAttempts
	return m > 0 && s.mutations >= m
}
