package policyfuzz

import (
	"context"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/search"
)

// Blamed is a world whose histories are judged without what a policy can not be blamed
// for.
func (a Arena) Blamed(w harness.World, p policy.Policy) harness.World { return blamed{w, a, p} }

type blamed struct {
	harness.World
	a Arena
	p policy.Policy
}

// Judged implements [search.Judging].
func (b blamed) Judged(ctx context.Context, s harness.Schedule) (*harness.History, check.Judgement, error) {
	h, j, err := search.Judged(ctx, b.World, s)
	if err == nil && j.Verdict == harness.Unsafe && b.a.excused(b.p, h, search.Broken(j)) {
		j.Verdict, j.Reason, j.Violations = harness.Safe, "", nil
	}
	return h, j, err
}

// Reuse implements [harness.Reuser].
func (b blamed) Reuse(h *harness.History) { harness.Reuse(b.World, h) }

// Excused reports whether a policy can not be blamed for a finding.
func (a Arena) Excused(p policy.Policy, f search.Finding) bool {
	return f.History != nil && a.excused(p, f.History, f.Invariants)
}

// excused: the action has no end, and the policy is not to blame.
func (a Arena) excused(p policy.Policy, h *harness.History, broken []string) bool {
	return slices.Equal(broken, []string{"settles"}) && (unended(p, h) || a.spent(p, h))
}

// timeAlone: time alone bounds the policy.
func timeAlone(p policy.Policy) bool { return p.Limits.Attempts == 0 && p.Limits.Budget > 0 }

// handOvers is how many hand-overs a schedule is given at most: where time alone bounds
// the policy, more of them bring its end no nearer.
func handOvers(p policy.Policy, s harness.Schedule) int {
	if timeAlone(p) {
		return s.Limits.Deliveries
	}
	return 0
}

// unended: the hand-overs of a trial were used up before the time was that alone bounds
// the policy.
func unended(p policy.Policy, h *harness.History) bool { return timeAlone(p) && search.UsedUp(h) }

// spent: the policy's own bound on unknown outcomes is used up, and to hand the action
// to a person is all that it leaves: it was looked up, or can not be. A schedule declares
// no bound by class, so that the check can not know.
func (a Arena) spent(p policy.Policy, h *harness.History) bool {
	bound, move := p.Limits.PerClass[harness.Unknown], p.Moves[harness.Unknown]
	leaves := (move == policy.Reconcile || move.Sends() && !a.Promises.CanFind()) && p.Moves[harness.RejectedPermanent] == policy.Stop
	return bound > 0 && leaves && a.unknowns(h, p) >= bound
}

// written is the note of a record that the store took.
const written = "written"

// unknowns counts the mutations of which nobody noted what became of them: their answer
// told nothing, or came when the call was given up, or who heard it died, or was taken
// over, before it was written down. An answer may tell nothing by the policy's own word.
func (a Arena) unknowns(h *harness.History, p policy.Policy) int {
	type life struct{ worker, incarnation int }
	unknown, class := map[int]bool{}, map[int]harness.Class{}
	calls, heard := map[life][]int{}, map[life][]int{}
	for _, e := range h.Events {
		who := life{e.Worker, e.Incarnation}
		switch {
		case e.Kind == harness.EvRequest && !e.Copy:
			calls[who] = append(calls[who], e.Attempt)
			if e.Changes {
				unknown[e.Attempt] = true
			}
		case e.Kind == harness.EvPassed:
			class[e.Attempt] = e.Class
			if e.Class == harness.RejectedTransient && p.OfAnswer(a.Promises, e.Status, harness.Answered{Code: e.Code}) == harness.Unknown {
				class[e.Attempt] = harness.Unknown
			}
		case e.Kind == harness.EvHeard:
			// One call may have been sent by the transport more than once.
			sent := calls[who]
			if n := len(sent); n > 0 && e.Status != 0 && class[sent[n-1]].Definite() {
				heard[who] = append(heard[who], sent...)
			}
			calls[who] = nil
		case e.Kind == harness.EvRecord && e.Note == written:
			for _, attempt := range heard[who] {
				delete(unknown, attempt)
			}
			heard[who] = nil
		}
	}
	return len(unknown)
}
