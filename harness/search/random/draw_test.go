package random_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search/random"
)

func space() random.Space {
	args := harness.Arguments{"amount": int64(1)}
	a := harness.Action{Name: "A", ID: "a", TriggerKey: "t", Effect: "refund", Arguments: args, Changed: map[string]any{"/amount": int64(2)}}
	b := a
	b.Name, b.ID, b.TriggerKey = "B", "b", "u"
	return random.Space{Workers: 2,
		Schedule: harness.Schedule{Version: harness.ScheduleVersion, World: "sim", Executor: harness.Executor{Kind: "builtin", Name: "x"}, Profile: "p",
			Actions: []harness.Action{a, b}, Limits: harness.DefaultLimits()},
		Promises: harness.Promises{Events: true, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}, Reference: "r", Key: harness.KeyPromise{Kept: true, Same: "replay"}, Errors: []harness.ErrorClass{{Status: 422, Class: harness.RejectedPermanent}}},
		Ops:      []random.Op{{Name: "create", Changes: true}, {Name: "find"}}}
}

// Every plan is one that a world takes, says itself in a replay file, and leaves the
// executor a delivery to end in.
func TestPlansAreSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := random.Schedules(space()).Draw(t, "plan")
		require.NoError(t, s.Validate())
		b, err := s.Marshal()
		require.NoError(t, err)
		again, err := harness.ParseSchedule(b)
		require.NoError(t, err)
		require.Equal(t, s.Faults, again.Faults)
		lethal := 0
		seen := map[string]bool{}
		for _, f := range s.Faults {
			require.False(t, seen[f.String()], "a line stands twice: %s", f)
			seen[f.String()] = true
			if slices.Contains([]string{"kill", "kill-before", "kill-after", "stop", "cancel", "lose", "down", "conflict"}, f.Name) || f.Is("record fail") {
				lethal += f.Where.To - f.Where.From + 1
			}
		}
		require.Less(t, lethal, s.Limits.Deliveries-1)
	})
}

// What there is is drawn.
func TestPlansAreOfEveryKind(t *testing.T) {
	words, targets := map[string]bool{}, map[harness.Settings]bool{}
	gen := random.Schedules(space())
	for i := range 300 {
		s := gen.Example(i)
		targets[s.Settings] = true
		for _, f := range s.Faults {
			words[f.Kind().Key()] = true
		}
	}
	require.Greater(t, len(words), 20, "few words were drawn: %v", words)
	for _, w := range []string{"record lose", "record kill-before", "event twice"} {
		require.True(t, words[w], "%s was never drawn", w)
	}
	require.Greater(t, len(targets), 3, "the target was the plain one almost always: %v", targets)
}

// The i-th plan of a generator is always the same.
func TestPlansAreReproducible(t *testing.T) {
	gen, other := random.Schedules(space()), random.Schedules(space())
	for i := range 50 {
		require.Equal(t, gen.Example(i), other.Example(i))
	}
}

// What is refused or not carried is never drawn.
func TestPlansHoldWhatIsCarried(t *testing.T) {
	s := space()
	s.Carries = func(f harness.Fault) bool { return f.Name == "close" }
	s.Refuses = func(f harness.Fault) string {
		if f.Where.Side == harness.Request {
			return "not here"
		}
		return ""
	}
	s.Takes = func(s harness.Settings) error {
		if s.Lookup == harness.LookupPaged {
			return errors.New("has no pages")
		}
		return nil
	}
	gen := random.Schedules(s)
	lines := 0
	for i := range 200 {
		require.NotEqual(t, harness.LookupPaged, gen.Example(i).Settings.Lookup)
		for _, f := range gen.Example(i).Faults {
			require.Equal(t, "close", f.Name)
			require.NotEqual(t, harness.Request, f.Where.Side)
			lines++
		}
	}
	require.Positive(t, lines)
}
