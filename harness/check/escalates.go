package check

import (
	"cmp"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// escalates: where several objects could be the effect, where a stranger's stands
// in its place, or where there is nothing to look up by, and neither a kept key nor
// a reference tells, only a person can: needs_review.
func escalates(v *View) (f Finding) {
	if v.finds && !v.puzzles && len(v.foreign.Entries) == 0 {
		// There was something to look up by, and nothing that it did not tell apart.
		return f
	}
	w := &v.room.doubt
	for _, a := range v.actions {
		w.reset(v, a)
		line := a.kin()
		for i := range line {
			w.step(&line[i])
		}
		f.add(&w.f)
	}
	return f
}

// doubt follows what is not known of one action, and why nothing tells.
type doubt struct {
	*View
	a    *action
	f    Finding
	open outstanding
	why  string
	seen int
	// told are the keys that the target answered for good.
	told []string
}

// reset begins another action.
func (w *doubt) reset(v *View, a *action) { *w = doubt{View: v, a: a, told: w.told[:0]} }

func (w *doubt) step(it *item) {
	at := it.attempt
	if at != nil && at.action != nil && at.action != w.a {
		w.hears(at)
		return
	}
	switch it.turn {
	case tells:
		w.report(it.report)
	case reads:
		if it.lookup != nil {
			w.lookup(it.lookup)
		}
	case sends:
		if !w.known(at) {
			w.open.add(at)
		}
	case gets:
		w.resolves(&w.open, at)
		w.hears(at)
		if w.open.oldest() == nil {
			w.why = ""
		}
	}
}

// kin is the action's line, with the answers to what was sent under another ID of its
// intent: it may have gone out under the same key.
func (a *action) kin() []item {
	if len(a.root.members) == 1 {
		return a.line
	}
	out := slices.Clone(a.line)
	for _, b := range a.root.members {
		for _, it := range b.line {
			if b != a && it.turn == gets {
				out = append(out, it)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y item) int { return cmp.Compare(x.Seq, y.Seq) })
	return out
}

// hears: the answer may be that of all that was sent under the key.
func (w *doubt) hears(at *attempt) {
	if at.class.Definite() && !at.unheard && w.tellsOfKey(at) {
		w.open.closeKey(at.Key)
		w.told = append(w.told, at.Key)
	}
}

// known: the target said under this key what became of it, and says the same again.
func (w *doubt) known(at *attempt) bool {
	if !slices.Contains(w.told, at.Key) {
		return false
	}
	return w.harmless(at.Key, w.a.root.firstUnder(at.Key).At, at.At)
}

func (w *doubt) lookup(l *lookup) {
	switch l.tells {
	case tellsSeveral:
		w.why, w.seen = "several objects could be it", l.ended
	case tellsNamesakes:
		w.why, w.seen = "several objects bear its reference", l.ended
	case tellsForeign:
		w.why, w.seen = "somebody else's object stands in its place", l.ended
	case tellsOurs, tellsAbsent:
		w.why = ""
		w.open.closeBefore(l.begun)
	}
}

func (w *doubt) report(r *report) {
	if !r.counted {
		return
	}
	if e := w.foreign.Get(r.Report.Resource); e != nil && r.Report.Outcome == harness.Done {
		w.f.Inspected++
		w.f.breach(w.a.name, "needs_review before somebody else's object", "it is reported as the action's", e.seq, r.Seq)
		return
	}
	old, why := w.open.oldest(), w.why
	if why == "" && !w.finds {
		why = "there is nothing to look up by"
	}
	if old == nil || why == "" {
		return
	}
	w.f.Inspected++
	switch {
	case r.Report.Outcome != harness.Done && r.Report.Outcome != harness.Rejected, !r.given.covered(), answered(r.given):
		return
	}
	w.f.breach(w.a.name, "needs_review, since the outcome is unknown and "+why, "reported as "+string(r.Report.Outcome), old.Seq, w.seen, r.Seq)
}

// answered: a person decided.
func answered(g *given) bool {
	return g != nil && g.delivery.Deliver != nil && slices.ContainsFunc(g.delivery.Deliver.How, func(how string) bool {
		f, err := harness.ParseFault(how)
		return err == nil && f.Name == "answer"
	})
}
