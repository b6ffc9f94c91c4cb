package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSettingsReadAsTheyAreWritten: a schedule's settings survive the replay file.
func TestSettingsReadAsTheyAreWritten(t *testing.T) {
	s := Schedule{Version: ScheduleVersion, Actions: []Action{{Name: "A"}}, Limits: DefaultLimits(), Settings: Settings{
		ForeignDelete: Span{Symbol: PastLease}, Present: "goods", KeyMode: KeyStoreErrors, Lookup: LookupPaged,
		Async: Async{After: Span{D: time.Second}, Then: AsyncVanish}, Latency: Span{D: time.Millisecond}, Throttle: 5,
		Maintenance: Window{After: Span{D: time.Second}, For: Span{Symbol: PastDeadline}},
	}}
	b, err := s.Marshal()
	require.NoError(t, err)
	got, err := ParseSchedule(b)
	require.NoError(t, err, "%s", b)
	assert.Equal(t, s.Settings, got.Settings)
}

func TestSettingsThatMeanNothing(t *testing.T) {
	for says, s := range map[string]Settings{
		"key-mode is":               {KeyMode: "x"},
		"lookup is":                 {Lookup: "x"},
		"async: then is":            {Async: Async{After: Span{D: 1}, Then: "x"}},
		"async takes no time":       {Async: Async{Then: AsyncFail}},
		"throttle is -1":            {Throttle: -1},
		"maintenance lasts no time": {Maintenance: Window{After: Span{D: 1}}},
	} {
		require.ErrorContains(t, s.Validate(), says)
	}
	require.NoError(t, new(Settings).Validate())
}

// TestOutside: each setting against a profile that it contradicts, and against one
// that promises no more than it does.
func TestOutside(t *testing.T) {
	strict := Promises{
		Key:    KeyPromise{Kept: true, Retention: Duration(time.Hour), Same: "replay", Other: "refuse", Marked: true},
		Lookup: FindPromise{By: []string{"reference"}, Authoritative: true},
	}
	loose := Promises{
		Key:    KeyPromise{Kept: true, Retention: Duration(time.Second), Same: "replay", Other: "replay", StoresErrors: true},
		Lookup: FindPromise{By: []string{"reference"}, Lag: Duration(time.Hour)},
	}
	equivalent := strict
	equivalent.Key.Same = "equivalent"
	none := Promises{}
	for _, c := range []struct {
		s      Settings
		breaks Promises
		within []Promises
	}{
		{Settings{ForgetAfter: Span{D: 2 * time.Second}}, strict, []Promises{loose, none}},
		{Settings{StaleRead: Span{D: time.Minute}}, strict, []Promises{loose, none}},
		{Settings{KeyMode: KeyIgnore}, strict, []Promises{none}},
		{Settings{KeyMode: KeyReplay}, equivalent, []Promises{strict, loose, none}},
		{Settings{KeyMode: KeyReplayUnmarked}, strict, []Promises{loose, none}},
		{Settings{KeyMode: KeyStoreErrors}, strict, []Promises{loose, none}},
		{Settings{KeyMode: KeyAcceptMismatch}, strict, []Promises{loose, none}},
		{Settings{Lookup: LookupNone}, strict, []Promises{none}},
		{Settings{Lookup: LookupLagging}, strict, []Promises{loose, none}},
	} {
		assert.Len(t, c.s.Outside(c.breaks, DefaultLimits()), 1, "%+v", c.s)
		for _, p := range c.within {
			assert.Empty(t, c.s.Outside(p, DefaultLimits()), "%+v", c.s)
		}
	}
	for _, s := range []Settings{{}, {ForgetKey: true, ForeignObject: true, Present: "goods", Lookup: LookupPaged, Throttle: 1,
		Latency: Span{D: 1}, ForeignDelete: Span{D: 1}, Maintenance: Window{For: Span{D: 1}}, Async: Async{After: Span{D: 1}, Then: AsyncVanish}},
		{Lookup: LookupSeveral}} {
		assert.Empty(t, s.Outside(strict, DefaultLimits()), "%+v", s)
	}
}
