package check

import "github.com/retrydrill/drill/harness"

// late counts requests of one life that its client from Env sent and gave up before
// they arrived: on a busy machine a request is still on its way then.
type late struct {
	// of is what the transport sent before within the same call, where that arrived,
	// and again how many more of its like are to come.
	of    *attempt
	again int
	// strays are others, of which nothing arrived before the call was over.
	strays int
}

// takes reports whether the request is one of those that are to come, sent by the
// transport within a call of which the first request is known.
func (l *late) takes(a *attempt) bool {
	if l.again == 0 || !sameForm(a, l.of) {
		return false
	}
	l.again--
	a.resends, a.unheard = l.of, true
	return true
}

// told is what the client from Env says about one call: how many requests its
// transport sent for it, and whether the answer was heard.
func (l *life) told(e *harness.Event) {
	l.fromEnv = true
	if e.Sends <= 0 {
		return
	}
	arrived := l.untold
	l.untold = arrived[:0]
	for _, a := range arrived {
		a.told = true
	}
	switch answered := e.Note != heardNothing && e.Note != heardPart; {
	case len(arrived) > e.Sends+l.late.strays:
		// Calls that were under way at once can not be told apart.
	case answered:
		l.answeredOne(arrived, e)
	default:
		l.gaveUp(arrived, e)
	}
}

// gaveUp: none of these was heard, whichever call they belong to, and what was sent
// and is not here yet comes unheard.
func (l *life) gaveUp(arrived []*attempt, e *harness.Event) {
	for _, a := range arrived {
		a.unheard, a.class = true, harness.Unknown
	}
	missing := e.Sends - len(arrived)
	switch {
	case missing < 0:
		l.late.strays += missing
	case len(arrived) == 0 || l.late.strays > 0:
		l.late.strays += missing
	default:
		l.late.of, l.late.again = arrived[0], missing
	}
	if missing >= 0 {
		resent(arrived)
	}
}

// answeredOne: the last of them was heard, or where strays are among them, the only
// one whose answer had left.
func (l *life) answeredOne(arrived []*attempt, e *harness.Event) {
	if len(arrived) == 0 {
		return
	}
	one := arrived[len(arrived)-1]
	if over := len(arrived) - e.Sends; over > 0 {
		l.late.strays -= over
		if one = onlyPassed(arrived); one == nil {
			for _, a := range arrived {
				a.doubtful = true
			}
			return
		}
	} else {
		resent(arrived)
	}
	for _, a := range arrived {
		if a != one {
			a.unheard, a.class = true, harness.Unknown
		}
	}
	if one.passed != nil {
		one.heard, one.doubtful, one.late = e.Seq, false, false
	}
}

// onlyPassed is the one whose answer left, or nil where there are several or none.
func onlyPassed(all []*attempt) (one *attempt) {
	for _, a := range all {
		switch {
		case a.passed == nil:
		case one != nil:
			return nil
		default:
			one = a
		}
	}
	return one
}

// resent marks what the transport sent again by itself within one call.
func resent(call []*attempt) {
	if len(call) < 2 {
		return
	}
	for _, a := range call[1:] {
		if sameForm(a, call[0]) {
			a.resends = call[0]
		}
	}
}
