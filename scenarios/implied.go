package scenarios

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// NeedsOf lists the needs that follow from one line.
func NeedsOf(f harness.Fault) []string {
	switch {
	case f.Where.Point == harness.Record && (harness.Schedule{Faults: []harness.Fault{f}}).Kills():
		return []string{"receipts", "kills"}
	case (harness.Schedule{Faults: []harness.Fault{f}}).Kills():
		return []string{"kills"}
	case f.Where.Point == harness.Record:
		return []string{"receipts"}
	case f.Is("deliver change") && f.Pointer == "":
		return []string{"changed"}
	case f.Is("deliver approval"):
		return []string{"checks-approval"}
	case f.Is("deliver elsewhere"):
		return []string{"key-or-lookup"}
	}
	return nil
}

// Implied lists the needs that follow from what the trial does.
func (t Trial) Implied() []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, f := range t.Faults {
		add(NeedsOf(f)...)
	}
	for _, d := range t.Actions {
		if d.Changed {
			add("changed")
		}
	}
	return out
}
