package check

import "github.com/retrydrill/drill/harness"

// sameResult: whoever is told twice that an action is done is told of one resource.
func sameResult(v *View) (f Finding) {
	for _, r := range v.roots {
		if len(r.reports) < 2 {
			continue
		}
		var first *report
		var different, none []int
		n := 0
		for _, rep := range r.reports {
			if !rep.counted || rep.Report.Outcome != harness.Done {
				continue
			}
			if n++; n == 1 {
				first = rep
			}
			switch {
			case rep.Report.Resource == "":
				none = append(none, rep.Seq)
			case rep.Report.Resource != first.Report.Resource && first.Report.Resource != "":
				different = append(different, rep.Seq)
			}
		}
		if n < 2 {
			continue
		}
		f.Inspected++
		if len(none) > 0 {
			f.breach(r.name, "one resource in all reports of done", "a report of done names none", none...)
		}
		if len(different) > 0 {
			f.breach(r.name, "one resource in all reports of done", "different resources", append(different, first.Seq)...)
		}
	}
	return f
}
