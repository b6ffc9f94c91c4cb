package random

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
)

// Op is an operation of the target that a run may come to.
type Op struct {
	Name    string
	Changes bool
}

// OpsOf lists a profile's operations by name, in order.
func OpsOf[O any](operations map[string]O, changes func(O) bool) []Op {
	out := make([]Op, 0, len(operations))
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		out = append(out, Op{Name: name, Changes: changes(operations[name])})
	}
	return out
}

// Space is what schedules are drawn from.
type Space struct {
	// Schedule is the fault-free run that every plan begins as.
	Schedule harness.Schedule
	Promises harness.Promises
	Ops      []Op
	// Carries and Refuses are as in [search.Options].
	Carries func(harness.Fault) bool
	Refuses func(harness.Fault) string
	// Takes says why the target can not be set so, or nothing; nil takes what its
	// promises allow.
	Takes func(harness.Settings) error
	// Workers is 1, or 2 to draw a second worker too.
	Workers int
}

// mostLines bounds the faults of one plan; what needs more is not worth the wait.
const mostLines = 4

// Schedules draws schedules. A line that finds no place to strike may stay unfired.
func Schedules(s Space) *rapid.Generator[harness.Schedule] {
	return rapid.Custom(func(t *rapid.T) harness.Schedule {
		p := plan{s, s.Schedule}
		p.Faults = slices.Clone(p.Faults)
		p.target(t)
		p.workers(t)
		for range rapid.IntRange(1, mostLines).Draw(t, "lines") {
			p.add(p.line(t))
		}
		p.Connection = rapid.SampledFrom([]string{"", "", "warm", "cold"}).Draw(t, "connection")
		p.AtLeast = rapid.IntRange(0, 3).Draw(t, "deliveries")
		return p.Schedule
	})
}

// plan is a schedule while it is drawn.
type plan struct {
	Space
	harness.Schedule
}

// target draws one that keeps all that it promises and is not the plain one.
func (p *plan) target(t *rapid.T) {
	switch p.Settings.ForgetKey = p.Promises.Key.Kept && rapid.IntRange(0, 7).Draw(t, "forget") == 0; {
	case p.Settings != harness.Settings{}:
	case rapid.IntRange(0, 7).Draw(t, "condition") == 0:
		all := search.Settings(p.Promises)
		if p.Takes != nil {
			all = slices.DeleteFunc(all, func(s harness.Settings) bool { return p.Takes(s) != nil })
		}
		if len(all) > 0 {
			p.Settings = rapid.SampledFrom(all).Draw(t, "settings")
		}
	}
}

// add takes lines that the schedule can carry and that leave the executor a way to its
// end, and leaves others out.
func (p *plan) add(lines []harness.Fault) {
	with := p.Schedule
	with.Faults = slices.Clone(p.Faults)
	for _, f := range lines {
		if p.Carries != nil && !p.Carries(f) || p.Refuses != nil && p.Refuses(f) != "" || search.Apart(p.Promises, with, f) != "" {
			return
		}
		if slices.ContainsFunc(with.Faults, func(g harness.Fault) bool { return sameLine(f, g) }) {
			return
		}
		f.Optional = true
		with.Faults = append(with.Faults, f)
	}
	if with.Validate() == nil && failing(with.Faults) < with.Limits.Deliveries-1 {
		p.Schedule = with
	}
}

// sameLine: the same word at the same place, or any two at one side of a crossing.
func sameLine(f, g harness.Fault) bool {
	return f.Where.Point == g.Where.Point && f.Where.From == g.Where.From && f.Where.Side == g.Where.Side &&
		(f.Name == g.Name || f.Where.IsOperation())
}

// failing counts the deliveries that the lines can make fail by themselves: an
// executor that never gets through shows nothing.
func failing(lines []harness.Fault) int {
	n := 0
	for _, f := range lines {
		switch f.Name {
		case "kill", "kill-before", "kill-after", "stop", "cancel", "lose", "down":
			n += f.Where.To - f.Where.From + 1
		case "fail", "conflict":
			if f.Where.Point == harness.Record {
				n += f.Where.To - f.Where.From + 1
			}
		}
	}
	return n
}

// workers draws how many there are, and how they stand to each other.
func (p *plan) workers(t *rapid.T) {
	if p.Workers < 2 {
		return
	}
	switch rapid.IntRange(0, 3).Draw(t, "workers") {
	case 0:
		two := harness.Where{Point: harness.Deliver, From: 1, To: 1}
		p.add([]harness.Fault{{Where: two, Name: "times", N: rapid.IntRange(2, 3).Draw(t, "times")}})
		p.Order = rapid.SampledFrom([]string{"forward", "reverse"}).Draw(t, "order")
	case 1:
		where, _ := p.place(t)
		if lines, ok := search.Beside(where); ok {
			p.add(lines)
		}
	}
}

// line draws one line at one place.
func (p *plan) line(t *rapid.T) []harness.Fault {
	where, changes := p.where(t)
	all := search.At(p.Schedule, p.Promises, where, changes)
	if len(all) == 0 {
		return nil
	}
	f := rapid.SampledFrom(all).Draw(t, "fault")
	if f.Name == "delay" {
		f.D = p.delay(t, where.Side)
	}
	return []harness.Fault{f}
}

// where draws a place: mostly an operation, at times a report, a delivery, a write of
// the executor's own store or a notice of the target.
func (p *plan) where(t *rapid.T) (w harness.Where, changes bool) {
	point, most := "", 0
	switch rapid.IntRange(0, 9).Draw(t, "boundary") {
	case 0:
		point, most = harness.AtReport, 2
	case 1, 2:
		point, most = harness.Deliver, 4
	case 3:
		point, most = harness.Record, 6
	case 4:
		if p.Promises.Events {
			point, most = harness.AtEvent, 2
		}
	}
	if point == "" {
		return p.place(t)
	}
	n := rapid.IntRange(1, most).Draw(t, point)
	return harness.Where{Point: point, From: n, To: n}, false
}

// place draws one side of one crossing of an operation.
func (p *plan) place(t *rapid.T) (w harness.Where, changes bool) {
	op := rapid.SampledFrom(p.Ops).Draw(t, "operation")
	sides := []harness.Side{harness.Response, harness.Request}
	if op.Changes {
		sides = append(sides, harness.Target)
	}
	w = harness.Where{Point: op.Name, Side: rapid.SampledFrom(sides).Draw(t, "side")}
	w.From = rapid.IntRange(1, 4).Draw(t, "n")
	w.To = w.From
	if rapid.IntRange(0, 5).Draw(t, "range") == 0 {
		w.To = w.From + rapid.IntRange(1, 2).Draw(t, "more")
	}
	return w, op.Changes
}

// delay draws a time against a deadline that the worker or the target knows of: just
// under it, just over it, far over it. A request that arrives when its key is
// forgotten is nobody's fault, and is not drawn.
func (p *plan) delay(t *rapid.T, side harness.Side) harness.Span {
	known, far := []harness.Duration{p.Limits.ClientDeadline, p.Limits.Lease, p.Limits.Retention}, []int{120, 90, 300}
	if side == harness.Request && p.Settings.ForgetKey {
		known, far = known[:1], far[:2]
	}
	d := rapid.SampledFrom(known).Draw(t, "deadline")
	percent := rapid.SampledFrom(far).Draw(t, "percent")
	return harness.Span{D: (time.Duration(d) * time.Duration(percent) / 100).Round(time.Millisecond)}
}
