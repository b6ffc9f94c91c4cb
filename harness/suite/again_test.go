package suite_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/scenarios"
)

// deadlines are the client deadlines of the trials with faults, in order.
func (w *stub) deadlines() (out []time.Duration) {
	for _, s := range w.seen {
		if len(s.Faults) == 1 && s.Deliveries() == 1 {
			out = append(out, s.Limits.ClientDeadline.D())
		}
	}
	return out
}

// first runs one trial with one fault.
func first(t *testing.T, w *stub, change func(*suite.Options)) report.Trial {
	t.Helper()
	o := options(w, "lost-answer")
	o.Scenarios[0].Trials = o.Scenarios[0].Trials[:1]
	if change != nil {
		change(&o)
	}
	r, err := suite.Run(t.Context(), o, nil)
	require.NoError(t, err)
	return r.Trials[0]
}

const fourTimes = "carried out again with every deadline 4 times as long, since the machine was slow"

func TestWhatSlownessKeptFromBeingJudgedIsCarriedOutAgain(t *testing.T) {
	w := &stub{late: 100 * time.Millisecond, unfired: true}
	tr := first(t, w, nil)
	require.Equal(t, harness.Safe, tr.Verdict, tr.Reason)
	require.Equal(t, fourTimes, tr.Caveats[0])
	require.Equal(t, []time.Duration{300 * time.Millisecond, 1200 * time.Millisecond}, w.deadlines())
	l := tr.History.Schedule.Limits
	require.Equal(t, harness.DefaultLimits().Scaled(4), l)
	require.Equal(t, harness.DefaultLimits().Deliveries, l.Deliveries, "what is counted does not grow")
}

func TestASlowTrialThatIsSafeIsNotCarriedOutAgain(t *testing.T) {
	w := &stub{late: time.Second}
	require.Equal(t, harness.Safe, first(t, w, nil).Verdict)
	require.Len(t, w.deadlines(), 1)
}

func TestWhatIsUnknownAndWasNotSlowIsNotCarriedOutAgain(t *testing.T) {
	w := &stub{late: 74 * time.Millisecond, hung: true}
	require.Equal(t, harness.Inconclusive, first(t, w, nil).Verdict)
	require.Len(t, w.deadlines(), 1)
}

func TestWhatStaysSlowStaysUnknown(t *testing.T) {
	w := &stub{late: time.Minute, unfired: true}
	tr := first(t, w, nil)
	require.Equal(t, harness.Inconclusive, tr.Verdict)
	require.Contains(t, tr.Reason, "the machine was slow, drill itself came 1m0s late")
	require.Equal(t, []time.Duration{300 * time.Millisecond, 1200 * time.Millisecond, 4800 * time.Millisecond}, w.deadlines())
}

// A violation is not forgotten for that it was seen on a slow machine: the trial with
// longer deadlines convicts, and its schedule is the one that is kept.
func TestAViolationStandsWhereItStandsWithLongerDeadlines(t *testing.T) {
	w := &stub{late: 100 * time.Millisecond, fraud: true}
	dir := t.TempDir()
	tr := first(t, w, func(o *suite.Options) { o.Dir, o.Histories = dir, dir })
	require.Equal(t, harness.Unsafe, tr.Verdict, tr.Reason)
	require.Contains(t, tr.Caveats, fourTimes)
	b, err := os.ReadFile(tr.Replay)
	require.NoError(t, err)
	s, err := harness.ParseSchedule(b)
	require.NoError(t, err)
	require.Equal(t, harness.DefaultLimits().Scaled(4), s.Limits)
	f, err := os.Open(tr.Kept)
	require.NoError(t, err)
	defer f.Close()
	h, err := harness.ReadHistory(f)
	require.NoError(t, err)
	require.Equal(t, tr.History.Events, h.Events)
}

func TestHistoriesOfWhatHeldAreNotKept(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, harness.Safe, first(t, &stub{}, func(o *suite.Options) { o.Histories = dir }).Verdict)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestTheControlCalibratesDeadlinesThatNobodyDeclared(t *testing.T) {
	const caveat = "every deadline is 4 times the default, since the control showed that the machine is slow"
	for _, c := range []struct {
		name      string
		late      time.Duration
		calibrate bool
		want      int
	}{
		{"slow", 200 * time.Millisecond, true, 4},
		{"very slow", 2 * time.Second, true, 4},
		{"slow, and declared", 200 * time.Millisecond, false, 1},
		{"not so slow that it matters to most", 140 * time.Millisecond, true, 1},
	} {
		w := &stub{late0: c.late}
		tr := first(t, w, func(o *suite.Options) { o.Calibrate = c.calibrate })
		require.Equal(t, harness.DefaultLimits().Scaled(c.want), tr.History.Schedule.Limits, c.name)
		require.Equal(t, c.want == 4, slices.Contains(tr.Caveats, caveat), c.name)
	}
}

func TestAPatientWorldGoesOnFromWhatCanBeJudged(t *testing.T) {
	w := &stub{late: 100 * time.Millisecond, unfired: true}
	s, err := options(w).Schedule(scenarios.All()[1].Trials[0])
	require.NoError(t, err)
	h, err := suite.Patient(w).Run(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, s.Limits.Scaled(4), h.Schedule.Limits)
	for _, f := range h.FaultsFired() {
		require.True(t, f.Fired)
	}
}

func TestAWorldThatFailsTheSecondTimeIsToldOf(t *testing.T) {
	w := &stub{late: 100 * time.Millisecond, unfired: true, failAgain: errDisk}
	o := options(w, "lost-answer")
	o.Scenarios[0].Trials = o.Scenarios[0].Trials[:1]
	_, err := suite.Run(t.Context(), o, nil)
	require.ErrorIs(t, err, errDisk)
	require.ErrorIs(t, err, suite.ErrWorld)
}
