package tap

import "github.com/retrydrill/drill/harness"

// tallies number things at places, for lines that strike there and for whoever waits for
// what happens there. They are a few: fewer than a map would pay for.
type tallies struct {
	// unmet: there was what does not meet the conditions on connections, and it is not
	// counted.
	unmet bool
	at    []tally
}

// tally is how many of the first things are at a place, whatever its range.
type tally struct {
	place harness.Where
	// upTo is how many things were looked at, n how many of them are at the place.
	upTo, n int
}

func (ts *tallies) empty() { ts.unmet, ts.at = false, ts.at[:0] }

// is reports whether a thing is one of the place, where so many of all things came before it.
func (ts *tallies) is(w *harness.Where, c *counted, all []counted, before int) bool {
	if !ts.counts(w, c) {
		return false
	}
	switch {
	case ts.unmet || w.Worker != 0 || w.Action != "" || w.Point == harness.MutateOp:
		return w.Counts(ts.number(ts.of(w), all, before) + 1)
	case w.Point == c.op:
		return w.Counts(c.n)
	}
	return w.Counts(before + 1)
}

func (ts *tallies) counts(w *harness.Where, c *counted) bool {
	return !(ts.unmet && c.unmet) && c.at(w)
}

// number is how many of the first things are at a tally's place. It goes on, or back, from
// where it was: what is asked about is mostly the last thing, or came a little before.
func (ts *tallies) number(t *tally, all []counted, first int) int {
	for ; t.upTo < first; t.upTo++ {
		if ts.counts(&t.place, &all[t.upTo]) {
			t.n++
		}
	}
	for ; t.upTo > first; t.upTo-- {
		if ts.counts(&t.place, &all[t.upTo-1]) {
			t.n--
		}
	}
	return t.n
}

// of is the tally of the places at the same point, with the same @.
func (ts *tallies) of(w *harness.Where) *tally {
	for i := range ts.at {
		if t := &ts.at[i]; t.place.Worker == w.Worker && t.place.Action == w.Action && t.place.Point == w.Point {
			return t
		}
	}
	ts.at = append(ts.at, tally{place: harness.Where{Point: w.Point, Worker: w.Worker, Action: w.Action}})
	return &ts.at[len(ts.at)-1]
}

// soFar is how many of all things are at a place, whatever its range.
func (ts *tallies) soFar(w *harness.Where, all []counted) int {
	return ts.number(ts.of(w), all, len(all))
}
