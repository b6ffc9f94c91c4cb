package tap

import "github.com/retrydrill/drill/harness"

// lines are a schedule's, spelled, and those of each place by themselves in the
// schedule's order: most trials have one or two lines, and ask at each of their events.
type lines struct {
	all                       []harness.Fault
	request, target, response []*harness.Fault
	reports, records, notices []*harness.Fault
	// cuts: one cuts requests inside their bodies.
	cuts bool
}

// set takes the lines of a schedule in, in the room of those of before: a search mostly has
// the same ones, trial after trial.
func (l *lines) set(faults []harness.Fault) {
	if l.are(faults) {
		return
	}
	before := l.all[:cap(l.all)]
	l.all = l.all[:0]
	for i := range faults {
		like := ""
		if i < len(before) {
			like = before[i].Spelling()
		}
		l.all = append(l.all, faults[i])
		// They are spelled once, not at each event that tells of them.
		l.all[i].SpellLike(like)
	}
	l.sort()
}

// are reports whether they are the lines of a schedule already.
func (l *lines) are(faults []harness.Fault) bool {
	if len(faults) != len(l.all) {
		return false
	}
	for i := range faults {
		if !l.all[i].Same(&faults[i]) {
			return false
		}
	}
	return true
}

// sort finds those of each place.
func (l *lines) sort() {
	for _, at := range [...]*[]*harness.Fault{&l.request, &l.target, &l.response, &l.reports, &l.records, &l.notices} {
		*at = (*at)[:0]
	}
	l.cuts = false
	for i := range l.all {
		f := &l.all[i]
		l.cuts = l.cuts || cutsBody(f)
		if at := l.at(&f.Where); at != nil {
			*at = append(*at, f)
		}
	}
}

// cutsBody reports whether the line cuts a request inside its body.
func cutsBody(f *harness.Fault) bool { return f.Name == "cut" && f.Where.Side == harness.Request }

// at is where the lines of a place are; nil where the tap is not asked.
func (l *lines) at(w *harness.Where) *[]*harness.Fault {
	switch {
	case w.Point == harness.AtReport:
		return &l.reports
	case w.Point == harness.Record:
		return &l.records
	case w.Point == harness.AtEvent:
		return &l.notices
	case w.IsOperation():
		return l.on(w.Side)
	}
	return nil
}

// on is where those on a side of operations are.
func (l *lines) on(side harness.Side) *[]*harness.Fault {
	switch side {
	case harness.Request:
		return &l.request
	case harness.Target:
		return &l.target
	case harness.Response:
		return &l.response
	}
	return nil
}
