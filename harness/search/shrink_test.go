package search_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/search"
)

func withLines(t *testing.T, lines ...string) harness.Schedule {
	s := base()
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

func TestShrink(t *testing.T) {
	s := withLines(t, "deliver#2 respell", "find#1 request close", "create#1..3 response truncate 5", "create#1@w1 request delay 3ms")
	s.AtLeast, s.Connection, s.Settings.ForgetKey = 4, "warm", true
	s.Actions = append(s.Actions, harness.Action{Name: "B"})
	asked := 0
	small, err := search.Shrink(context.Background(), s, func(_ context.Context, c harness.Schedule) (bool, error) {
		asked++
		require.NoError(t, c.Validate())
		// It fails whenever the answer to a create is lost in whatever way.
		for _, f := range c.Faults {
			if f.Where.Point == "create" && f.Where.Side == harness.Response {
				return true, nil
			}
		}
		return false, nil
	})
	require.NoError(t, err)
	require.Len(t, small.Faults, 1)
	require.Equal(t, "create#1 response close", small.Faults[0].String())
	require.Zero(t, small.AtLeast)
	require.Empty(t, small.Connection)
	require.Zero(t, small.Settings)
	require.Len(t, small.Actions, 1)
	require.Less(t, asked, 60)
	require.Len(t, s.Faults, 4, "what was given is left alone")
}

func TestShrinkStopsAtAnError(t *testing.T) {
	boom := errors.New("boom")
	s := withLines(t, "create#1 response close")
	same, err := search.Shrink(context.Background(), s, func(context.Context, harness.Schedule) (bool, error) { return false, boom })
	require.ErrorIs(t, err, boom)
	require.Equal(t, s, same)
}
