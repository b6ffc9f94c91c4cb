package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// boundedAttempts: no more mutations for one action than declared, over all
// workers, and none sooner than Retry-After asks for (RFC 9110 section 10.2.3).
// A proxy's copy is nobody's attempt, nor is what the transport sent again by
// itself; where that can not be told, one repeat of each attempt is let pass. On a
// machine without the records of before, and after the store lost what it had
// acknowledged, counting begins anew: nobody there knows of the others.
func boundedAttempts(v *View) (f Finding) {
	limit := v.Schedule.Limits.MaxAttempts
	for _, a := range v.actions {
		if !v.waits && (limit == 0 || a.sent <= limit) {
			// No more than the limit altogether: nobody can have sent more.
			if limit > 0 {
				f.Inspected += a.bySelf()
			}
			continue
		}
		counted, asked := &v.room.counted, &v.room.asked
		counted.Reset()
		asked.Reset()
		for i := range a.line {
			it := &a.line[i]
			at := it.attempt
			switch it.turn {
			case gets:
				if it.RetryAfter > 0 {
					asked.Set(at.life, at)
				}
			case sends:
				if !at.byTransport() {
					n := counted.At(v.memory(at))
					if n.sent++; limit > 0 && n.sent > limit {
						n.over = append(n.over, at.Seq)
					}
				}
				if before := asked.Get(at.life); before != nil {
					f.Inspected++
					asked.Set(at.life, nil)
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
		slices.SortStableFunc(counted.Entries, func(a, b reuse.Entry[memory, tally]) int { return strings.Compare(a.Key.op, b.Key.op) })
		for i := range counted.Entries {
			n := &counted.Entries[i].Value
			f.Inspected += n.sent
			if n.sent > limit {
				f.breach(a.name, fmt.Sprintf("at most %d mutations", limit), fmt.Sprintf("%d mutations", n.sent), n.over...)
			}
		}
	}
	return f
}

// bySelf counts the mutations that the executor sent, and not the transport.
func (x *action) bySelf() (n int) {
	for i := range x.line {
		if it := &x.line[i]; it.turn == sends && !it.attempt.byTransport() {
			n++
		}
	}
	return n
}

// tally counts the mutations of one step, and tells which are over the limit.
type tally struct {
	sent int
	over []int
}

// memory is where an attempt can be known of: the records of one place, or the life
// alone whose record the store lost. Each step is bounded by itself.
type memory struct {
	op    string
	store int
	alone *life
}

func (v *View) memory(a *attempt) memory {
	m := memory{store: a.store}
	if v.steps {
		m.op = a.operation()
	}
	if a.unrecorded {
		m.alone = a.life
	}
	return m
}

// byTransport: the transport sent it, or may have: where no client from Env tells of
// its calls, or died before it could.
func (a *attempt) byTransport() bool {
	return a.resends != nil || a.maybe && !a.told
}
