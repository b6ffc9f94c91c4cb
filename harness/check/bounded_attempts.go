package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// boundedAttempts: no more mutations for one action than declared, over all
// workers, and none sooner than Retry-After asks for (RFC 9110 section 10.2.3).
// A proxy's copy is nobody's attempt, nor is what the transport sent again by
// itself; where that can not be told, one repeat of each attempt is let pass.
func boundedAttempts(v *View) (f Finding) {
	limit := v.Schedule.Limits.MaxAttempts
	for _, a := range v.actions {
		counted := map[string][]int{}
		asked := map[*life]*attempt{}
		for _, it := range a.line {
			at := it.attempt
			if at == nil || !at.Changes {
				continue
			}
			switch it.Kind {
			case harness.EvPassed:
				if it.RetryAfter > 0 {
					asked[at.life] = at
				}
			case harness.EvRequest:
				if !at.byTransport() {
					op := ""
					if v.severalSteps() {
						// Each step is bounded by itself.
						op = at.operation()
					}
					counted[op] = append(counted[op], at.Seq)
				}
				if before := asked[at.life]; before != nil {
					f.Inspected++
					delete(asked, at.life)
					wait := before.passed.RetryAfter
					if at.At-before.passed.At < wait-harness.Duration(grace(wait.D())) {
						f.breach(a.name, "no mutation before Retry-After ("+wait.String()+") is over", "a mutation sooner", before.passed.Seq, at.Seq)
					}
				}
			}
		}
		if limit == 0 {
			continue
		}
		for _, op := range slices.Sorted(maps.Keys(counted)) {
			seqs := counted[op]
			f.Inspected += len(seqs)
			if len(seqs) > limit {
				f.breach(a.name, fmt.Sprintf("at most %d mutations", limit), fmt.Sprintf("%d mutations", len(seqs)), seqs[limit:]...)
			}
		}
	}
	return f
}

// byTransport: the transport sent it, or may have.
func (a *attempt) byTransport() bool {
	return a.resends != nil || a.maybe && !a.life.fromEnv
}
