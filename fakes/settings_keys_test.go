package fakes

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// keyed makes a write under a key twice, the second one shaped, with a mode of keys.
func keyed(t *testing.T, p *targets.Profile, mode string) *walk {
	t.Helper()
	return walkOf(t, p, p.Steps()[0], func(o *Options) { o.Settings.KeyMode = mode })
}

func TestKeyModeIgnore(t *testing.T) {
	for mode, effects := range map[string]int{"": 1, harness.KeyIgnore: 2} {
		w := keyed(t, stripe(t), mode)
		w.done(t, w.create(t, w.write("key-1", "act-1")))
		again := w.create(t, w.write("key-1", "act-1"))
		w.done(t, again)
		assert.Equal(t, mode == "", again.Replayed)
		assert.Len(t, w.Effects(), effects, mode)
		assert.Equal(t, "key-1", w.Effects()[effects-1].Key, "the ledger tells which key was sent")
	}
}

// TestKeyModeReplay: the shape answers a repeat with the object as it is now, and
// under the setting with the first answer.
func TestKeyModeReplay(t *testing.T) {
	for mode, state := range map[string]string{"": "live", harness.KeyReplay: "queued"} {
		w := keyed(t, shape(t, "marked-record"), mode)
		w.done(t, w.create(t, w.write("key-1", "act-1")))
		w.clock.add(hour)
		assert.Contains(t, w.create(t, w.write("key-1", "act-1")).raw, state)
		assert.Len(t, w.Effects(), 1)
	}
}

func TestKeyModeReplayUnmarked(t *testing.T) {
	for mode, marked := range map[string]bool{"": true, harness.KeyReplayUnmarked: false} {
		w := keyed(t, stripe(t), mode)
		first := w.create(t, w.write("key-1", "act-1"))
		again := w.create(t, w.write("key-1", "act-1"))
		assert.Equal(t, first.raw, again.raw)
		assert.Equal(t, marked, again.Replayed)
	}
}

func TestKeyModeStoreErrors(t *testing.T) {
	for mode, effects := range map[string]int{"": 1, harness.KeyStoreErrors: 0} {
		w := keyed(t, shape(t, "two-parts"), mode)
		w.decide(harness.TargetDecision{Name: "reject", Status: 503})
		first := w.create(t, w.write("key-1", "act-1"))
		assert.Equal(t, 503, first.status)
		again := w.create(t, w.write("key-1", "act-1"))
		assert.Equal(t, mode != "", again.raw == first.raw)
		assert.Len(t, w.Effects(), effects, mode)
	}
}

func TestKeyModeAcceptMismatch(t *testing.T) {
	for mode, status := range map[string]int{"": 400, harness.KeyAcceptMismatch: 200} {
		w := keyed(t, stripe(t), mode)
		first := w.create(t, w.write("key-1", "act-1"))
		other := w.create(t, w.changed(t, "key-1", "act-1"))
		assert.Equal(t, status, other.status)
		assert.Equal(t, mode != "", other.raw == first.raw)
		assert.Len(t, w.Effects(), 1)
	}
}

// TestSettingsThatCanNotStrike are refused: nothing would come of them.
func TestSettingsThatCanNotStrike(t *testing.T) {
	keyless, err := targets.Builtin("no-key-no-lookup")
	require.NoError(t, err)
	unique, err := targets.Builtin("natural-key")
	require.NoError(t, err)
	span := harness.Span{D: second}
	for _, c := range []struct {
		p    *targets.Profile
		s    harness.Settings
		says string
	}{
		{keyless, harness.Settings{KeyMode: harness.KeyReplay}, "keeps keys"},
		{keyless, harness.Settings{Lookup: harness.LookupLagging}, "has one"},
		{stripe(t), harness.Settings{Async: harness.Async{After: span}}, "answers before the work is done"},
		{stripe(t), harness.Settings{Present: "goods"}, "no part"},
		{unique, harness.Settings{Lookup: harness.LookupPaged}, "paged"},
		{unique, harness.Settings{Lookup: harness.LookupSeveral}, "reference"},
		{stripe(t), harness.Settings{KeyMode: "sometimes"}, `key-mode is "sometimes"`},
		{stripe(t), harness.Settings{Throttle: -1}, "throttle"},
	} {
		_, err := New(c.p, Options{Settings: c.s, Limits: harness.DefaultLimits()})
		require.ErrorContains(t, err, c.says)
	}
}
