// Package check judges what happened. Each invariant is a pure function from one
// recorded history to violations; nothing but the history is read, so that a
// history that was stored long ago is judged again by today's invariants.
//
// [Judge] is the entry, [Invariants] the list. An invariant says how much it
// inspected: one that found nothing to look at is not checked, never held.
package check

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Invariant is one rule that a retry-safe executor keeps.
type Invariant struct {
	// ID is its name in reports.
	ID string
	// Doc says in a sentence or two when it is violated.
	Doc string
	// Needs lists what it reads: ledger, report, wire, profile.
	Needs []string

	check func(*View) Finding
}

// Check applies the invariant to a prepared history.
func (i *Invariant) Check(v *View) Finding {
	f := i.check(v)
	f.by(i)
	return f
}

// Finding is what one invariant says about one history.
type Finding struct {
	// Inspected counts what was looked at; 0 means that the invariant was not checked.
	Inspected int
	// Violations are all that were found, in the order of the history.
	Violations []harness.Violation
}

// by names the invariant that found it.
func (f *Finding) by(i *Invariant) {
	for k := range f.Violations {
		f.Violations[k].Invariant = i.ID
	}
}

// add takes in what was found in a part.
func (f *Finding) add(part *Finding) {
	f.Inspected += part.Inspected
	if len(part.Violations) > 0 {
		f.Violations = append(f.Violations, part.Violations...)
	}
}

// breach appends a violation. Texts carry nothing that varies between runs.
func (f *Finding) breach(action, expected, observed string, events ...int) {
	f.Violations = append(f.Violations, harness.Violation{Action: action, Expected: expected, Observed: observed, Events: inOrder(events)})
}

// Judgement is what a history is judged to be.
type Judgement struct {
	Verdict harness.Verdict
	// Reason says why a trial is unknown, or which invariants an unsafe one breaks.
	Reason     string
	Violations []harness.Violation
	// Inspected counts what each invariant looked at.
	Inspected Inspected
	// Caveats say what a safe verdict does not cover.
	Caveats []string
	// Told lists what ended a doubt: look-up, kept key. Review is why an action was
	// left to a person, where one was.
	Told   []string
	Review string
	// Slow says that the machine was slow, and what came how late, where that matters
	// against the trial's deadlines.
	Slow string
	// Late is by how much, 0 where it was not slow.
	Late harness.Duration
}

// Inspected counts what each invariant looked at, in the order of [Invariants].
type Inspected [len(Invariants)]int

// Of returns the count of the invariant of that ID.
func (n Inspected) Of(id string) int {
	return n[slices.IndexFunc(Invariants[:], func(i Invariant) bool { return i.ID == id })]
}

// NotChecked lists the invariants that had nothing to look at, in order.
func (j Judgement) NotChecked() (ids []string) {
	for n, i := range Invariants {
		if j.Inspected[n] == 0 && !slices.ContainsFunc(j.Violations, func(v harness.Violation) bool { return v.Invariant == i.ID }) {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// Judge applies every invariant. The verdict is unsafe if one is violated, unless the
// trial's settings had the target break a promise that the executor relies on: then
// nobody can tell whose fault it is, and the trial is unknown. So it is where the
// machine was so slow that deadlines may have passed which the schedule did not let
// pass: it is not the schedule then that was carried out. Else it is unknown if what
// should have been judged could not be, else safe.
func Judge(h *harness.History) (j Judgement) {
	b := builders.Get().(*builder)
	b.build(h)
	b.judge(&j)
	b.remark(&j)
	b.release()
	return j
}

// Weigh is Judge for a search, which keeps few of the histories that it judges: Caveats,
// Told and Review, which a report says beside the verdict, stay empty.
func Weigh(h *harness.History) (j Judgement) {
	b := builders.Get().(*builder)
	b.build(h)
	b.judge(&j)
	b.release()
	return j
}

// remark adds what is said beside the verdict.
func (v *View) remark(j *Judgement) {
	j.Caveats = caveats(v, v.outside())
	j.Told, j.Review = told(v)
}

func (v *View) judge(j *Judgement) {
	for n := range Invariants {
		f := Invariants[n].check(v)
		j.Inspected[n] = f.Inspected
		if len(f.Violations) > 0 {
			j.breaks(n, f)
		}
	}
	slow := v.slowness()
	if slow.late > 0 {
		j.Slow, j.Late = slow.String(), slow.late
	}
	j.Verdict = harness.Safe
	if doubts := doubts(v); len(j.Violations) > 0 || len(doubts) > 0 {
		j.decide(v.outside(), slow, doubts)
	}
}

// outside are the settings in force that break a promise.
func (v *View) outside() []string {
	s := &v.Schedule.Settings
	if !s.CanBreak() {
		return nil
	}
	return s.Outside(*v.promises, v.Schedule.Limits)
}

// breaks takes in what the n-th invariant found.
func (j *Judgement) breaks(n int, f Finding) {
	f.by(&Invariants[n])
	j.Violations = append(j.Violations, f.Violations...)
}

// broken lists the invariants that are violated, in order.
func (j *Judgement) broken() (ids []string) {
	for _, v := range j.Violations {
		if n := len(ids); n == 0 || ids[n-1] != v.Invariant {
			ids = append(ids, v.Invariant)
		}
	}
	return ids
}

// decide says what a trial is in which something was found, or could not be judged.
func (j *Judgement) decide(outside []string, slow slow, doubts []string) {
	broken := j.broken()
	switch violates := "violates " + strings.Join(broken, ", "); {
	case len(broken) > 0 && len(outside) > 0:
		j.Verdict, j.Reason = harness.Inconclusive, violates+", but the target broke a promise: "+strings.Join(outside, "; ")
	case len(broken) > 0 && slow.excuses(broken):
		j.Verdict, j.Reason = harness.Inconclusive, violates+", which slowness can bring about: "+j.Slow
	case len(broken) > 0:
		j.Verdict, j.Reason = harness.Unsafe, violates
	default:
		if slow.late > 0 {
			doubts = append(doubts, j.Slow)
		}
		j.Verdict, j.Reason = harness.Inconclusive, strings.Join(doubts, "; ")
	}
}

// Find returns the invariant of that ID.
func Find(id string) (Invariant, bool) {
	for _, i := range Invariants {
		if i.ID == id {
			return i, true
		}
	}
	return Invariant{}, false
}
