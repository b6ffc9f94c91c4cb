package scenarios

import (
	"slices"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// NeedsOf lists the needs that follow from one line.
func NeedsOf(f harness.Fault) []string {
	switch {
	case f.Where.Point == harness.Record && f.Kills():
		return []string{"receipts", "kills"}
	case f.Kills():
		return []string{"kills"}
	case f.Is("deliver no-name"), f.Is("deliver no-tls"):
		return []string{"http"}
	case f.Is("target restart"):
		return []string{"looks-up"}
	case f.Is("request cancel"), f.Is("response cancel"):
		return []string{"caller"}
	case f.Where.Point == harness.AtEvent:
		return []string{"events", "hears-events"}
	case f.Where.Point == harness.Record:
		return []string{"receipts"}
	case f.Is("deliver equivalent"):
		return []string{"spellings", "normalises"}
	case f.Is("deliver change") && f.Pointer == "":
		return []string{"changed"}
	case f.Is("deliver approval"):
		return []string{"checks-approval"}
	case f.Is("deliver elsewhere"):
		return []string{"key-or-lookup"}
	}
	return statusNeeds(f)
}

// statusNeeds are those of a fault that has the target, or something before it,
// answer in a way of its own.
func statusNeeds(f harness.Fault) []string {
	switch {
	case f.Is("response html"):
		return []string{"http"}
	case f.Is("response status"):
		return []string{"answers " + strconv.Itoa(f.N), "leaves-open " + strconv.Itoa(f.N)}
	case f.Is("request status") && !f.RetryAfter.IsZero():
		return []string{"http"}
	case f.Is("request status"), f.Is("target reject"), f.Is("target fail"):
		return []string{"answers " + strconv.Itoa(f.N)}
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
