package policyfuzz

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/search"
)

// sweeps are schedules of their own: lines that strike every crossing of an operation
// from the first on, since a bound is only seen where nothing ever succeeds, and pairs
// that a policy is asked about and that the search may not come to.
func (a Arena) sweeps(s harness.Schedule, p policy.Policy) [][]harness.Fault {
	var out [][]harness.Fault
	for _, op := range a.Ops {
		for _, f := range a.busy(op, p) {
			out = append(out, []harness.Fault{f})
		}
		for _, side := range []harness.Side{harness.Request, harness.Target, harness.Response} {
			where := harness.Where{Point: op, Side: side, From: 1}
			for _, f := range search.At(s, a.Promises, where, true) {
				if f.Name == "kill" || f.Name == "duplicate" || f.Name == "restart" || f.Name == "pause" || f.Is("request delay") || a.Refuses != nil && a.Refuses(f) != "" {
					continue
				}
				out = append(out, []harness.Fault{f})
			}
		}
		out = append(append(out, a.late(op)), a.ownWord(op, p)...)
	}
	return slices.DeleteFunc(append(out, a.takenBack()...), func(lines []harness.Fault) bool {
		return len(lines) == 0 || slices.ContainsFunc(lines, func(f harness.Fault) bool { return a.Carries != nil && !a.Carries(f) })
	})
}

// crossing is the n-th of an operation.
func crossing(op string, side harness.Side, n int) harness.Where {
	return harness.Where{Point: op, Side: side, From: n, To: n}
}

// late is a delivery that comes again when the key of what is in doubt is forgotten.
func (a Arena) late(op string) []harness.Fault {
	again := harness.Fault{Where: crossing(harness.Deliver, "", 2), Name: "after", D: harness.Span{Symbol: harness.PastRetention}}
	lost := harness.Fault{Where: crossing(op, harness.Response, 1), Name: "kill"}
	if !a.forgets() {
		return nil
	}
	return []harness.Fault{lost, again}
}

// ownWord are answers that the policy files otherwise than the target does: alone, where a
// refusal for good comes after them, and while the attempt before is in doubt. So is one
// that the policy lets be the last of its kind.
func (a Arena) ownWord(op string, p policy.Policy) (out [][]harness.Fault) {
	lost := harness.Fault{Where: crossing(op, harness.Request, 1), Name: "close"}
	for _, e := range a.Promises.Errors {
		is := p.OfAnswer(a.Promises, e.Status, harness.Answered{Code: e.Code})
		if e.Class != harness.RejectedTransient || is == e.Class && p.Limits.PerClass[e.Class] != 1 {
			continue
		}
		first := reject(op, 1, e)
		out = append(out, []harness.Fault{first}, []harness.Fault{lost, reject(op, 2, e)})
		if k := a.errorOf(harness.RejectedPermanent); k >= 0 {
			out = append(out, []harness.Fault{first, reject(op, 2, a.Promises.Errors[k])})
		}
	}
	return out
}

// takenBack is a step that is refused for good, and a refusal for now of what takes the one
// before it back.
func (a Arena) takenBack() (out [][]harness.Fault) {
	steps, good, now := a.Promises.Steps, a.errorOf(harness.RejectedPermanent), a.errorOf(harness.RejectedTransient)
	for i := range steps[:max(0, len(steps)-1)] {
		if undo := steps[i].Undo; undo != "" && good >= 0 && now >= 0 {
			out = append(out, []harness.Fault{reject(steps[i+1].Op, 1, a.Promises.Errors[good]), reject(undo, 1, a.Promises.Errors[now])})
		}
	}
	return out
}

// errorOf is the first of the target's errors of a class, or -1.
func (a Arena) errorOf(c harness.Class) int {
	return slices.IndexFunc(a.Promises.Errors, func(e harness.ErrorClass) bool { return e.Class == c })
}

// reject is an answer of the target's own to the n-th request.
func reject(op string, n int, e harness.ErrorClass) harness.Fault {
	return harness.Fault{Where: crossing(op, harness.Target, n), Name: "reject", N: e.Status, Code: e.Code}
}

// busy are answers that the target is busy: one alone, and one that says when to come
// back, which is later than the policy's own first wait and within a delivery.
func (a Arena) busy(op string, p policy.Policy) (out []harness.Fault) {
	i := a.busyAs(p)
	if i < 0 {
		return nil
	}
	for _, after := range []time.Duration{0, (p.Limits.Backoff.Ceiling(1) + time.Second).Truncate(time.Second)} {
		out = append(out, harness.Fault{Where: crossing(op, harness.Request, 1), Name: "status",
			N: a.Promises.Errors[i].Status, RetryAfter: harness.Span{D: after}})
	}
	return out
}

// busyAs is which of the target's errors is a refusal for now to the policy, too, or -1.
func (a Arena) busyAs(p policy.Policy) int {
	return slices.IndexFunc(a.Promises.Errors, func(e harness.ErrorClass) bool {
		return e.Code == "" && p.OfAnswer(a.Promises, e.Status, harness.Answered{}) == harness.RejectedTransient
	})
}
