package tap_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

func parsed(t require.TestingT, lines ...string) []harness.Fault {
	var out []harness.Fault
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		out = append(out, f)
	}
	return out
}

// struck is the line, as it was written, that strikes the next create on a side.
func struck(s *tap.Session, side harness.Side) string {
	c := s.Arrive(harness.Event{Worker: 1, Incarnation: 1}, create("", "", ""))
	f := s.At(c, side)
	if f == nil {
		return ""
	}
	s.Fired(f, c.Event)
	lines, _ := s.Armed()
	for _, a := range lines {
		for _, n := range a.Attempts {
			if n == c.Attempt {
				return a.Fault.String()
			}
		}
	}
	return "unknown"
}

// TestArmedCountsFromNow draws how many creates came before and which one a line
// names: that one after the arming is struck, and no other.
func TestArmedCountsFromNow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, n, width := rapid.IntRange(0, 5).Draw(t, "before"), rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(0, 2).Draw(t, "width")
		point := rapid.SampledFrom([]string{harness.CreateOp, harness.AnyOp, harness.MutateOp}).Draw(t, "point")
		s := session(t)
		for range before {
			require.Empty(t, struck(s, harness.Response))
		}
		line := fmt.Sprintf("%s#%d..%d response html", point, n, n+width)
		if width == 0 {
			line = fmt.Sprintf("%s#%d response html", point, n)
		}
		armed, err := s.Arm(parsed(t, line))
		require.NoError(t, err)
		require.Equal(t, line, armed[0].Fault.String())
		for i := 1; i <= 8; i++ {
			want := ""
			if i >= n && i <= n+width {
				want = line
			}
			require.Equal(t, want, struck(s, harness.Response), "create %d after the arming", i)
		}
		lines, _ := s.Armed()
		require.Equal(t, tap.Fired, lines[0].State)
		require.Len(t, lines[0].Attempts, width+1)
	})
}

// TestArmedStates: waiting, struck, holding, fired; whoever waits for a change hears of it.
func TestArmedStates(t *testing.T) {
	s := session(t)
	_, err := s.Arm(parsed(t, "create#2 response html"))
	require.NoError(t, err)
	state := func() (tap.State, <-chan struct{}) {
		lines, changed := s.Armed()
		return lines[0].State, changed
	}
	s.Arrive(harness.Event{Worker: 1}, create("", "", ""))
	now, changed := state()
	require.Equal(t, tap.Waiting, now)
	c := s.Arrive(harness.Event{Worker: 1}, create("", "", ""))
	now, _ = state()
	require.Equal(t, tap.Struck, now)
	select {
	case <-changed:
		t.Fatal("nothing fired")
	default:
	}
	f := s.At(c, harness.Response)
	s.Holds(f)
	<-changed
	now, changed = state()
	require.Equal(t, tap.Holding, now)
	s.Fired(f, c.Event)
	<-changed
	now, _ = state()
	require.Equal(t, tap.Fired, now)
	s.Holds(f)
	now, _ = state()
	require.Equal(t, tap.Fired, now, "it does not go back")
	require.False(t, s.Pending(func(harness.Fault) bool { return true }), "it can strike no more")
}

// TestArmedClash: lines that wait clash, those that are over do not, and of one call
// all are armed or none.
func TestArmedClash(t *testing.T) {
	s := session(t)
	_, err := s.Arm(parsed(t, "create#1 response reset"))
	require.NoError(t, err)
	_, err = s.Arm(parsed(t, "find#1 response html", "create#2 response close"))
	var clash *tap.ClashError
	require.ErrorAs(t, err, &clash)
	require.Equal(t, "create#2 response close", clash.Second.String())
	require.Error(t, s.Check(parsed(t, "create#1 response html")))
	lines, _ := s.Armed()
	require.Len(t, lines, 1)

	require.Equal(t, "create#1 response reset", struck(s, harness.Response))
	armed, err := s.Arm(parsed(t, "create#1 response close"))
	require.NoError(t, err, "the reset is over")
	require.Equal(t, 2, armed[0].ID)
	require.True(t, s.Disarm(2))
	require.Empty(t, struck(s, harness.Response))
}

// TestArmedConditions: what the condition leaves out is recorded, and no line counts
// it.
func TestArmedConditions(t *testing.T) {
	s := session(t)
	s.Counts = func(conn int) bool { return conn != 1 }
	_, err := s.Arm(parsed(t, "create#1 request close"))
	require.NoError(t, err)
	left := s.Arrive(harness.Event{Worker: 1, Conn: 1}, create("", "", ""))
	require.Nil(t, s.At(left, harness.Request))
	require.Equal(t, 1, left.N)
	require.NotNil(t, s.At(s.Arrive(harness.Event{Worker: 1, Conn: 2}, create("", "", "")), harness.Request))
}

// TestArmedHold: EVENT counts from the arming too, also where more came before than
// the lines count.
func TestArmedHold(t *testing.T) {
	s := session(t)
	s.Counts = func(conn int) bool { return conn != 1 }
	for range 3 {
		s.Arrive(harness.Event{Worker: 1, Conn: 1}, create("", "", ""))
	}
	_, err := s.Arm(parsed(t, "create#1 target hold until create#2 request"))
	require.NoError(t, err)
	f := s.At(s.Arrive(harness.Event{Worker: 1, Conn: 2}, create("", "", "")), harness.Target)
	require.NotNil(t, f)
	met := s.When(*f.Event)
	select {
	case <-met:
		t.Fatal("what came before is not it")
	default:
	}
	s.Arrive(harness.Event{Worker: 1, Conn: 2}, create("", "", ""))
	<-met
	s.Held(&harness.Event{}, f.String(), tap.HoldMet)
	lines, _ := s.Armed()
	require.Equal(t, tap.HoldMet, lines[0].Note)
}
