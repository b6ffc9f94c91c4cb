package check

import "github.com/retrydrill/drill/harness"

// noSecret: the target's token stays where it was given. The recorder looks for it
// in what it records and in the state that the worker kept, and tells of each place.
func noSecret(v *View) (f Finding) {
	byPlace := map[string][]int{}
	var places []string
	for i := range v.Events {
		e := &v.Events[i]
		switch e.Kind {
		case harness.EvReport, harness.EvLog, harness.EvRequest:
			f.Inspected++
		case harness.EvState:
			f.Inspected += e.N
		case harness.EvLeak:
			if byPlace[e.Note] == nil {
				places = append(places, e.Note)
			}
			byPlace[e.Note] = append(byPlace[e.Note], e.Seq)
		}
	}
	for _, p := range places {
		f.breach("", "the target's token nowhere but in its header", "it shows in "+p, byPlace[p]...)
	}
	return f
}
