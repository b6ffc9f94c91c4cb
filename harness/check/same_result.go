package check

import "github.com/retrydrill/drill/harness"

// sameResult: whoever is told twice that an action is done is told of one resource.
func sameResult(v *View) (f Finding) {
	for _, r := range v.roots {
		var done []*report
		for _, rep := range r.reports {
			if rep.counted && rep.Report.Outcome == harness.Done {
				done = append(done, rep)
			}
		}
		if len(done) < 2 {
			continue
		}
		f.Inspected++
		var different, none []int
		for _, rep := range done {
			switch {
			case rep.Report.Resource == "":
				none = append(none, rep.Seq)
			case rep.Report.Resource != done[0].Report.Resource && done[0].Report.Resource != "":
				different = append(different, rep.Seq)
			}
		}
		if len(none) > 0 {
			f.breach(r.name, "one resource in all reports of done", "a report of done names none", none...)
		}
		if len(different) > 0 {
			f.breach(r.name, "one resource in all reports of done", "different resources", append(different, done[0].Seq)...)
		}
	}
	return f
}
