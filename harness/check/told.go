package check

import "github.com/retrydrill/drill/harness"

// What ended a doubt about an attempt whose own answer told nothing.
const (
	byLookup = "look-up"
	byKey    = "kept key"
)

// told says what of the profile ended each doubt: a look-up, the answer to a repeat
// under a kept key, or, where an action ended at needs_review, why nothing did.
func told(v *View) (by []string, review string) {
	t := &v.room.teller
	t.byKey, t.byLookup = false, false
	for _, a := range v.actions {
		t.reset(v, a)
		line := a.line
		for i := range line {
			t.step(&line[i])
		}
		if review == "" {
			review = t.review
		}
	}
	switch {
	case t.byKey && t.byLookup:
		by = byBoth[:]
	case t.byKey:
		by = byBoth[:1:1]
	case t.byLookup:
		by = byBoth[1:]
	}
	return by, review
}

// byBoth is what told says of most histories; nobody changes it.
var byBoth = [...]string{byKey, byLookup}

// teller follows what is not known of one action.
type teller struct {
	*View
	a      *action
	open   outstanding
	review string
	// byKey, byLookup: what ended a doubt, of any action.
	byKey, byLookup bool
	// last is what the last look-up told.
	last evidence
}

// reset begins another action; what ended a doubt before stays.
func (t *teller) reset(v *View, a *action) {
	*t = teller{View: v, a: a, byKey: t.byKey, byLookup: t.byLookup}
}

func (t *teller) step(it *item) {
	at := it.attempt
	switch it.turn {
	case tells:
		t.report(it.report)
	case reads:
		if it.lookup != nil {
			t.lookup(it.lookup)
		}
	case sends:
		t.open.add(at)
	case gets:
		if t.answers(at) {
			t.byKey = true
		}
		t.resolves(&t.open, at)
	}
}

// answers reports whether an answer tells of another attempt under its key.
func (t *teller) answers(at *attempt) bool {
	return at.class.Definite() && !at.unheard && t.tellsOfKey(at) && t.open.another(at)
}

func (t *teller) lookup(l *lookup) {
	if t.last = l.tells; l.tells != tellsOurs && (l.tells != tellsAbsent || !t.promises.Lookup.Authoritative) {
		return
	}
	if old := t.open.oldest(); old != nil && old.Seq < l.begun {
		t.byLookup = true
	}
	t.open.closeBefore(l.begun)
}

func (t *teller) report(r *report) {
	switch {
	case !r.counted:
	case r.Report.Outcome == harness.NeedsReview:
		t.review = t.why(r)
	default:
		t.review = ""
	}
}

// why says what the profile lacks, or what stood in the way.
func (t *teller) why(r *report) string {
	switch t.last {
	case tellsForeign:
		return "somebody else's object stands in its place"
	case tellsSeveral:
		return "several objects could be it"
	case tellsNamesakes:
		return "several objects bear its reference"
	}
	switch old := t.open.oldest(); {
	case old == nil:
		return "the executor asked for it with no request in doubt"
	case !t.dedups:
		return "the profile offers no key and " + t.lacks()
	case old.Key != "" && t.expired(t.a.under(old.Key).At, r.At):
		return "the key may be forgotten, and the profile offers " + t.lacks()
	}
	return "no answer told what became of the request"
}

// lacks says what the look-up does not do.
func (t *teller) lacks() string {
	switch {
	case !t.finds:
		return "no look-up"
	case !t.promises.Lookup.Authoritative:
		return "no look-up that proves absence"
	}
	return "a look-up that told nothing"
}
