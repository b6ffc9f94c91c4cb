package linear_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/search/linear"
)

// tape writes a history of two workers by hand.
type tape struct{ harness.History }

func (t *tape) add(e harness.Event) *tape {
	e.Seq = len(t.Events) + 1
	t.Events = append(t.Events, e)
	return t
}

func (t *tape) deliver(worker int, names ...string) *tape {
	d := &harness.Delivered{}
	for _, n := range names {
		a := harness.DeliveredAction{Name: n}
		if twin := strings.TrimSuffix(n, "'"); twin != n {
			a.As = twin
		}
		d.Actions = append(d.Actions, a)
	}
	return t.add(harness.Event{Kind: harness.EvDeliver, Worker: worker, Deliver: d})
}

func (t *tape) request(worker, attempt int) *tape {
	return t.add(harness.Event{Kind: harness.EvRequest, Worker: worker, Attempt: attempt})
}

func (t *tape) effect(worker, attempt int, action, resource string, kind ...string) *tape {
	x := &harness.Effect{Resource: resource, Kind: harness.Do}
	if len(kind) > 0 {
		x.Kind = kind[0]
	}
	return t.add(harness.Event{Kind: harness.EvEffect, Worker: worker, Attempt: attempt, Action: action, Effect: x})
}

func (t *tape) done(worker int, action, resource string) *tape {
	return t.add(harness.Event{Kind: harness.EvReport, Worker: worker, Action: action, Report: &harness.Report{Outcome: harness.Done, Resource: resource}})
}

func (t *tape) end(worker int, note string) *tape {
	return t.add(harness.Event{Kind: harness.EvEnd, Worker: worker, Note: note})
}

// three have the action at once.
func three() *tape { return new(tape).deliver(1, "A").deliver(2, "A").deliver(3, "A") }

func TestActions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tape   *tape
		broken []string
	}{
		{"one effect, told twice", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").deliver(2, "A").done(2, "A", "r1").done(1, "A", "r1"), nil},
		{"two effects", new(tape).deliver(1, "A").deliver(2, "A").request(1, 1).request(2, 2).effect(2, 2, "A", "r1").effect(1, 1, "A", "r2"), []string{"A"}},
		{"done with another's effect", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").done(1, "A", "r9"), []string{"A"}},
		{"done before the request of the effect", new(tape).deliver(1, "A").done(1, "A", "r1").deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1"), []string{"A"}},
		{"done while the effect is on its way", new(tape).deliver(1, "A").request(1, 1).deliver(2, "A").done(2, "A", "r1").effect(1, 1, "A", "r1"), nil},
		{"undone, and made again", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").request(1, 2).effect(1, 2, "A", "r1", harness.Undo).
			request(1, 3).effect(1, 3, "A", "r2").done(1, "A", "r2"), nil},
		{"a minted twin is the action", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").deliver(1, "A'").request(1, 2).effect(1, 2, "A'", "r2"), []string{"A"}},
		{"a twin of a twin is the action", new(tape).deliver(1, "A'").request(1, 1).effect(1, 1, "A'", "r1").done(1, "A'", "r1").deliver(1, "A''").done(1, "A''", "r1"), nil},
		{"done, and names nothing", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").done(1, "A", ""), nil},
		{"done twice, and names nothing", new(tape).deliver(1, "A").done(1, "A", "").deliver(2, "A").done(2, "A", ""), []string{"A"}},
		{"done twice, names nothing, and the first delivery failed", new(tape).deliver(1, "A").done(1, "A", "").end(1, "killed").deliver(2, "A").done(2, "A", ""), nil},
		{"done with another's effect, and a later delivery failed", new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").done(1, "A", "r9").
			end(1, "returned").deliver(1, "A").end(1, "killed"), []string{"A"}},
		{"two actions are two creates", new(tape).deliver(1, "A", "B").request(1, 1).effect(1, 1, "A", "r1").request(1, 2).effect(1, 2, "B", "r2"), nil},
		{"three at once, and one effect", three().request(1, 1).request(2, 2).request(3, 3).effect(2, 2, "A", "r1").done(3, "A", "r1").done(1, "A", "r1").done(2, "A", "r1"), nil},
		{"three at once, and the third makes its own", three().request(1, 1).request(3, 3).effect(1, 1, "A", "r1").done(1, "A", "r1").done(2, "A", "r1").effect(3, 3, "A", "r2"), []string{"A"}},
		{"three at once, and the third tells of another", three().request(1, 1).effect(1, 1, "A", "r1").done(1, "A", "r1").done(2, "A", "r1").done(3, "A", "r3"), []string{"A"}},
		{"the second undoes, and the third makes it anew", three().request(1, 1).effect(1, 1, "A", "r1").request(2, 2).effect(2, 2, "A", "r1", harness.Undo).
			request(3, 3).effect(3, 3, "A", "r3").done(1, "A", "r3").done(3, "A", "r3"), nil},
		{"undone before the third was asked, who tells of it all the same", three().request(1, 1).effect(1, 1, "A", "r1").request(2, 2).effect(2, 2, "A", "r1", harness.Undo).
			deliver(3, "A").done(3, "A", "r1"), []string{"A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broken, ok := linear.Actions(&tt.tape.History)
			require.True(t, ok)
			require.Equal(t, tt.broken, broken)
		})
	}
}

// Each side alone is a disagreement, both together or neither are none.
func TestDisagrees(t *testing.T) {
	twice := new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1").request(1, 2).effect(1, 2, "A", "r2")
	once := new(tape).deliver(1, "A").request(1, 1).effect(1, 1, "A", "r1")
	finds := check.Judgement{Violations: []harness.Violation{{Invariant: "one-effect"}}}
	require.Empty(t, linear.Disagrees(&twice.History, finds))
	require.Empty(t, linear.Disagrees(&once.History, check.Judgement{}))
	require.Contains(t, linear.Disagrees(&twice.History, check.Judgement{}), "porcupine: A can not be told as one create")
	require.Contains(t, linear.Disagrees(&once.History, finds), "the invariants find one-effect; porcupine can tell")
}
