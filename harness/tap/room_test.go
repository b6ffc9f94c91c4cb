package tap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestWhatComesTooLate is recorded nowhere: the room is its history's reader's by then.
func TestWhatComesTooLate(t *testing.T) {
	r := NewRecorder(func() time.Duration { return 0 }, "")
	s := NewSession(harness.Schedule{}, nil, r)
	s.Effect(harness.Effect{Resource: "one"})
	got := s.Events()
	s.Effect(harness.Effect{Resource: "late"})
	s.Report(By{Worker: 1}, harness.Report{})
	require.Len(t, s.Events(), 1)
	require.Equal(t, "one", got[0].Effect.Resource)
}

// TestArmedByScope: a line that counts what a worker did is armed beside those that count
// over all, and its numbers count from that moment too.
func TestArmedByScope(t *testing.T) {
	s := NewSession(harness.Schedule{}, nil, NewRecorder(func() time.Duration { return 0 }, ""))
	arrive := func(worker int) *Crossed {
		return s.Arrive(harness.Event{Worker: worker}, harness.Named{Op: harness.CreateOp, Changes: true})
	}
	arrive(1)
	arrive(2)
	f, err := harness.ParseFault("create#1@w2 response close")
	require.NoError(t, err)
	_, err = s.Arm([]harness.Fault{f})
	require.NoError(t, err)
	require.Nil(t, s.At(arrive(1), harness.Response))
	require.NotNil(t, s.At(arrive(2), harness.Response))
	require.Nil(t, s.At(arrive(2), harness.Response))
}
