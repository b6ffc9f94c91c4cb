package check

import "github.com/retrydrill/drill/harness"

// noSecret: the target's token stays where it was given. The recorder looks for it
// in what it records and in the state that the worker kept, and tells of each place.
func noSecret(v *View) (f Finding) {
	f.Inspected = v.texts
	var byPlace map[string][]int
	var places []string
	for _, e := range v.aside {
		if e.Kind != harness.EvLeak {
			continue
		}
		if byPlace == nil {
			byPlace = map[string][]int{}
		}
		if byPlace[e.Note] == nil {
			places = append(places, e.Note)
		}
		byPlace[e.Note] = append(byPlace[e.Note], e.Seq)
	}
	for _, p := range places {
		f.breach("", "the target's token nowhere but in its header", "it shows in "+p, byPlace[p]...)
	}
	return f
}
