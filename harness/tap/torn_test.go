package tap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestATornRequestIsTheNext: a line that cuts a request is asked before the request is
// there, about the one that it is about to be.
func TestATornRequestIsTheNext(t *testing.T) {
	for _, c := range []struct {
		place  string
		struck int
	}{
		{"create#1", 1},
		{"create#2", 3},
		{"create#2..", 3},
		{"any#2", 2},
		{"mutate#2", 3},
		{"find#1", 2},
		{"create#1@w2", 3},
		{"create#2@w1", 4},
		{"create#2@A", 4},
		{"mutate#1@B", 3},
		{"create#4", 0},
	} {
		t.Run(c.place, func(t *testing.T) {
			f, err := harness.ParseFault(c.place + " request cut 1")
			require.NoError(t, err)
			s := NewSession(harness.Schedule{Faults: []harness.Fault{f}}, nil, NewRecorder(func() time.Duration { return 0 }, ""))
			for worker, name := range []string{"A", "B"} {
				s.Deliver(By{Worker: worker + 1, Incarnation: 1}, &harness.Delivered{Actions: []harness.DeliveredAction{{Name: name, ID: "act-" + name}}})
			}
			first := 0
			for i, r := range []struct {
				worker int
				op     string
			}{{1, "create"}, {1, "find"}, {2, "create"}, {1, "create"}} {
				n := harness.Named{Op: r.op, Changes: r.op == "create"}
				a := arrival{From: From{By: By{Worker: r.worker, Incarnation: 1}}}
				torn := s.next(&a, &n)
				x := &Crossed{}
				s.arrive(x, &a, &n)
				require.Equal(t, torn, s.At(x, harness.Request), "the line strikes what it tore")
				if torn != nil && first == 0 {
					first = i + 1
				}
			}
			require.Equal(t, c.struck, first)
		})
	}
}
