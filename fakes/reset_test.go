package fakes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets"
)

// shownAll is all that a fake shows of itself.
type shownAll struct {
	answers []string
	effects []harness.Effect
	notices []harness.Notice
	watched int
}

// everything asks each operation twice, under a key each, and says what came of it.
func everything(t *testing.T, f *Fake, c *clock) (out shownAll) {
	t.Helper()
	p, a := f.p, f.p.DefaultAction()
	f.Watch(func(harness.Effect) { out.watched++ })
	f.Tell(func(n harness.Notice) { out.notices = append(out.notices, n) })
	made := map[string]string{}
	for _, step := range p.Steps() {
		// A step that is refused returns none.
		made[step] = "none"
	}
	send := func(op, id, key string) {
		if _, known := p.Operations[op]; !known {
			return
		}
		raw, err := p.Request(op, id, targets.Write{Key: key, ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: made})
		require.NoError(t, err)
		target := raw.Path
		if raw.Query != "" {
			target += "?" + raw.Query
		}
		r := httptest.NewRequest(raw.Method, target, strings.NewReader(string(raw.Body)))
		r.Header = raw.Header
		p.Authorize(r, token)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		out.answers = append(out.answers, fmt.Sprint(op, w.Code, w.Header(), w.Body))
		if got := p.Namer().Answer(op, harness.RawAnswer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}); got.Resource != "" {
			made[op] = got.Resource
		}
	}
	for i := range 2 {
		for _, step := range p.Steps() {
			send(step, "", fmt.Sprint("key-", i))
			send(step, "", fmt.Sprint("key-", i))
			c.add(harness.DefaultLimits().Retention.D() / 3)
			send(p.FindOf(step), "", "")
			if undo := p.UndoOf(step); undo != "" {
				send(undo, made[step], fmt.Sprint("undo-", i))
				send(p.FindOf(step), "", "")
			}
		}
	}
	out.effects = f.Effects()
	return out
}

// TestAResetFakeIsANewOne: whatever a fake went through, after a reset nothing of it
// shows, at no profile and under no setting.
func TestAResetFakeIsANewOne(t *testing.T) {
	for _, p := range everyProfile(t) {
		t.Run(p.Name, func(t *testing.T) {
			var worn *Fake
			for i, s := range everySetting() {
				options := func(c *clock) Options {
					return Options{Token: token, Now: c.now, Seed: uint64(i), Settings: s, Limits: harness.DefaultLimits(), Action: p.DefaultAction()}
				}
				a, b := newClock(), newClock()
				fresh, err := New(p, options(a))
				if worn == nil {
					require.NoError(t, err)
					worn = fresh
					everything(t, worn, a)
					continue
				}
				again := worn.Reset(options(b))
				if err != nil {
					require.EqualError(t, again, err.Error())
					continue
				}
				require.NoError(t, again)
				assert.Equal(t, everything(t, fresh, a), everything(t, worn, b), "%+v", s)
			}
		})
	}
}

// everySetting are settings of which each changes something.
func everySetting() []harness.Settings {
	lease := harness.Span{Symbol: harness.PastLease}
	out := []harness.Settings{{}, {ForeignObject: true}, {ForgetKey: true}, {ForeignDelete: lease}, {StaleRead: lease},
		{Throttle: 3}, {Maintenance: harness.Window{For: lease}}, {Async: harness.Async{After: lease, Then: harness.AsyncVanish}},
		{Present: "payment"}, {Present: "record"}}
	for _, m := range harness.KeyModes {
		out = append(out, harness.Settings{KeyMode: m})
	}
	for _, m := range harness.Lookups {
		out = append(out, harness.Settings{Lookup: m})
	}
	return append(out, harness.Settings{})
}

// TestAFakeGoesFromTrialToTrial: only where the world promises that nobody is left who
// could reach it, and never to two trials at once.
func TestAFakeGoesFromTrialToTrial(t *testing.T) {
	s := harness.Schedule{Actions: []harness.Action{{}}}
	of := Of(stripe(t))
	open := func(reuse bool) *tap.Target {
		x, err := of(&s, tap.TargetEnv{Now: newClock().now, Reuse: reuse})
		require.NoError(t, err)
		return x
	}
	create := func(x *tap.Target) {
		f := x.Handler.(*Fake)
		require.Equal(t, http.StatusOK, ask(f, "POST", "/v1/refunds", "charge=ch_1&amount=1", "k").Code)
	}
	for _, reuse := range []bool{false, true} {
		a := open(reuse)
		create(a)
		b := open(reuse)
		assert.NotSame(t, a.Handler, b.Handler, "the first is still at work")
		require.NoError(t, a.Close())
		require.NoError(t, a.Close())
		c, d := open(reuse), open(reuse)
		assert.NotSame(t, c.Handler, d.Handler, "closed twice is given back once")
		assert.Empty(t, c.Effects())
		assert.Empty(t, d.Effects())
		if !reuse {
			assert.Len(t, a.Effects(), 1, "a world that may still reach it keeps it")
		}
	}
}
