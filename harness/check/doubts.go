package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// doubts says why a history without a violation is not called safe: what should
// have been judged could not be.
func doubts(v *View) []string {
	var out []string
	for i := range v.Schedule.Faults {
		if f := &v.Schedule.Faults[i]; !f.Optional && !v.fired(i) {
			out = append(out, fmt.Sprintf("fault %q never fired", f))
		}
	}
	if n := v.nobodys.mutations; n > 0 {
		out = append(out, fmt.Sprintf("mutations that could not be put to an action: %d", n))
	}
	if n := v.nobodys.effects; n > 0 {
		out = append(out, fmt.Sprintf("effects that could not be put to an action: %d", n))
	}
	for _, e := range v.aside {
		switch {
		case e.Kind == harness.EvBound:
			out = append(out, "a bound was hit: "+e.Note)
		case e.Kind == harness.EvHold && e.Note == holdTimedOut:
			out = append(out, fmt.Sprintf("hold %q was ended by time alone", e.Fault))
		}
	}
	return compact(out)
}

// fired reports whether an event shows that the i-th scheduled fault was carried out.
func (v *View) fired(i int) bool {
	return slices.ContainsFunc(v.struck, func(e *harness.Event) bool { return v.IsLine(i, e.Fault) })
}

// The notes that a history carries and that judging reads.
const (
	holdTimedOut = "timed-out"
	outsideTrial = "outside of the trial"
	tornInBody   = "torn in its body"
	longOutput   = "more than 1 MiB of output"
)

// caveats say what a verdict does not cover, or what stands beside it.
func caveats(v *View, outside []string) []string {
	var out []string
	if len(v.sent) > 0 && v.promises.Key.Kept && !slices.ContainsFunc(v.sent, func(a *attempt) bool { return a.Key != "" }) {
		out = append(out, "no key was ever sent")
	}
	if len(v.sent) > 0 && !v.promises.OffersCopies() {
		out = append(out, "late arrival was not tried: at this target a repeat is not harmless")
	}
	for _, broken := range outside {
		out = append(out, "the target broke a promise: "+broken)
	}
	for _, e := range v.aside {
		switch {
		case e.Kind == harness.EvRefused && strings.HasSuffix(e.Note, outsideTrial):
			out = append(out, "a request to a host outside of the trial was refused")
		case e.Kind == harness.EvLog && strings.HasPrefix(e.Note, longOutput):
			out = append(out, "the worker printed more than 1 MiB: its log is cut")
		}
	}
	if again := v.repeated(); len(again) > 0 {
		out = append(out, again...)
	}
	return compact(out)
}

// repeated tells of requests that the transport sent again, or may have.
func (v *View) repeated() []string {
	var out []string
	for _, a := range v.sent {
		switch {
		case a.resends != nil:
			out = append(out, fmt.Sprintf("one call became two requests, sent by the transport: %s repeats %s", a.place(), a.resends.place()))
		case a.maybe && !a.told:
			out = append(out, fmt.Sprintf("%s repeats %s on another connection: executor or transport, which cannot be told apart", a.place(), a.repeats.place()))
		}
		if len(out) == maxEvents {
			break
		}
	}
	return out
}

// place is how a fault would name the request.
func (a *attempt) place() string { return fmt.Sprintf("%s#%d", a.operation(), a.N) }

// compact keeps the first of equal lines.
func compact(lines []string) []string {
	if len(lines) < 2 {
		return lines
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(lines, func(s string) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		return false
	})
}
