package fakes

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

const (
	second = time.Second
	hour   = time.Hour
)

// with is a walk of a profile's first step under settings.
func with(t *testing.T, p *targets.Profile, s harness.Settings, shape ...func(*Options)) *walk {
	t.Helper()
	return walkOf(t, p, p.Steps()[0], append(shape, func(o *Options) { o.Settings, o.Action = s, p.DefaultAction() })...)
}

// found reads all pages of the walked step's look-up.
func (w *walk) found(t *testing.T, id string) []harness.Found {
	t.Helper()
	out, told := targets.NewClient(w.p, w.url, token, w.client).Look(context.Background(), w.step, w.write("", id))
	require.Equal(t, harness.Confirmed, told.Class, "%+v", told)
	return out
}

func TestLookupNone(t *testing.T) {
	for mode, status := range map[string]int{"": 200, harness.LookupNone: 404} {
		w := with(t, stripe(t), harness.Settings{Lookup: mode})
		r := w.create(t, w.write("key-1", "act-1"))
		w.done(t, r)
		assert.Equal(t, status, w.send(t, harness.FindOp, "", w.write("", "act-1")).status)
		assert.Equal(t, status, w.send(t, harness.GetOp, r.Resource, targets.Write{}).status)
	}
}

func TestLookupLagging(t *testing.T) {
	for name, lag := range map[string]time.Duration{"marked-record": 2 * second, "two-parts": 400 * time.Millisecond} {
		p := shape(t, name)
		plain := with(t, p, harness.Settings{})
		plain.create(t, plain.write("key-1", "act-1"))
		assert.Len(t, plain.found(t, "act-1"), 1)
		w := with(t, p, harness.Settings{Lookup: harness.LookupLagging})
		w.create(t, w.write("key-1", "act-1"))
		assert.Empty(t, w.found(t, "act-1"))
		w.clock.add(lag - 1)
		assert.Empty(t, w.found(t, "act-1"))
		w.clock.add(1)
		assert.Len(t, w.found(t, "act-1"), 1, "a declared lag, or else a declared lease")
	}
}

// TestLookupPaged: ours is not on the first page, whether pages go by cursor or by
// number.
func TestLookupPaged(t *testing.T) {
	for _, p := range []*targets.Profile{stripe(t), shape(t, "two-parts"), shape(t, "marked-record")} {
		plain := with(t, p, harness.Settings{})
		plain.create(t, plain.write("key-1", "act-1"))
		assert.Len(t, plain.found(t, "act-1"), 1)
		w := with(t, p, harness.Settings{Lookup: harness.LookupPaged})
		r := w.create(t, w.write("key-1", "act-1"))
		first := w.send(t, p.FindOf(w.step), "", w.write("", "act-1"))
		require.Len(t, first.Found, 1)
		assert.True(t, first.More)
		assert.NotEqual(t, r.Resource, first.Found[0].Resource)
		assert.Empty(t, first.Found[0].Reference)
		all := w.found(t, "act-1")
		require.Len(t, all, 2)
		assert.Equal(t, r.Resource, all[1].Resource)
		foreign := 0
		for _, e := range w.Fake.Effects() {
			if e.Foreign {
				foreign++
			}
		}
		assert.Equal(t, len(p.PartsOf(w.step)), foreign, "a stranger's effect is a stranger's")
	}
}

func TestLookupSeveral(t *testing.T) {
	for mode, want := range map[string]int{"": 1, harness.LookupSeveral: 2} {
		w := with(t, stripe(t), harness.Settings{Lookup: mode})
		w.create(t, w.write("key-1", "act-1"))
		all := w.found(t, "act-1")
		require.Len(t, all, want)
		for _, o := range all {
			assert.Equal(t, "act-1", o.Reference)
			assert.Equal(t, all[0].Arguments, o.Arguments)
		}
	}
}

func TestAsync(t *testing.T) {
	p := shape(t, "marked-record")
	for then, last := range map[string]string{"": "live", harness.AsyncDone: "live", harness.AsyncFail: "failed", harness.AsyncVanish: ""} {
		w := with(t, p, harness.Settings{Async: harness.Async{After: harness.Span{D: 5 * second}, Then: then}})
		r := w.create(t, w.write("key-1", "act-1"))
		state := func() string {
			s, _ := w.send(t, harness.GetOp, r.Resource, targets.Write{}).body["state"].(string)
			return s
		}
		w.clock.add(5*second - 1)
		assert.Equal(t, "queued", state(), "the profile's own second does not count")
		assert.Empty(t, w.undos())
		w.clock.add(1)
		assert.Zero(t, w.Pending())
		assert.Equal(t, last, state())
		undos := w.undos()
		if then != harness.AsyncFail && then != harness.AsyncVanish {
			assert.Empty(t, undos)
			continue
		}
		require.Len(t, undos, 2, "both parts are taken back")
		assert.Empty(t, undos[0].Op, "nobody asked for it")
		assert.False(t, undos[0].Foreign)
		assert.Zero(t, undos[0].Attempt)
		assert.Equal(t, harness.Duration(5*second), undos[0].At)
	}
}

// TestForeignDelete: each object goes its time after it was made, also where nobody
// looked in between, and the ledger's order is that of time.
func TestForeignDelete(t *testing.T) {
	p := shape(t, "two-parts")
	w := with(t, p, harness.Settings{ForeignDelete: harness.Span{D: second}})
	r := w.create(t, w.write("key-1", "act-1"))
	assert.Equal(t, second, w.Pending())
	w.clock.add(second - 1)
	assert.Len(t, w.found(t, "act-1"), 1)
	w.clock.add(hour)
	w.create(t, w.write("key-2", "act-2"))
	undos := w.undos()
	require.Len(t, undos, 1)
	assert.True(t, undos[0].Foreign)
	assert.Equal(t, r.Resource, undos[0].Resource)
	assert.Equal(t, harness.Duration(second), undos[0].At)
	assert.Equal(t, 2, undos[0].Seq, "before what was written later")
	assert.Len(t, w.found(t, "act-1"), 1)
	w.refuses(t, w.send(t, "get_payment", r.Resource, targets.Write{}), p.Refusals["absent"])

	plain := with(t, p, harness.Settings{})
	plain.create(t, plain.write("key-1", "act-1"))
	plain.clock.add(hour)
	assert.Zero(t, plain.Pending())
	assert.Len(t, plain.found(t, "act-1"), 1)
}

// TestPresent: one part is there from the start, the other is not.
func TestPresent(t *testing.T) {
	for _, c := range []struct {
		profile, part string
		referred      bool
	}{
		{"two-parts", "payment", true}, {"two-parts", "goods", true},
		{"marked-record", "record", false}, {"marked-record", "marker", true},
	} {
		p := shape(t, c.profile)
		s := serveProfile(t, p, func(o *Options) {
			o.Settings.Present, o.Action = c.part, p.DefaultAction()
			o.Action.ID = "act-1"
		})
		e := s.Effects()
		require.Len(t, e, 1, c.part)
		assert.Equal(t, c.part, e[0].Part)
		assert.True(t, e[0].Present)
		assert.False(t, e[0].Foreign)
		assert.Equal(t, c.referred, e[0].Reference == "act-1", c.part)
		assert.Equal(t, p.DefaultAction().BusinessKey, e[0].BusinessKey)
		assert.Empty(t, serveProfile(t, p).Effects())
	}
}

// TestLatency: the time passes with the key claimed and nothing committed, and holds
// up nobody else.
func TestLatency(t *testing.T) {
	slept := make(chan time.Duration)
	release := make(chan struct{})
	var once sync.Once
	w := with(t, stripe(t), harness.Settings{Latency: harness.Span{Symbol: harness.PastDeadline}}, func(o *Options) {
		o.Sleep = func(_ context.Context, d time.Duration) error {
			first := false
			once.Do(func() { first = true })
			if first {
				slept <- d
				<-release
			}
			return nil
		}
	})
	done := make(chan told)
	go func() { done <- w.create(t, w.write("key-1", "act-1")) }()
	assert.Equal(t, 360*time.Millisecond, <-slept)
	assert.Empty(t, w.Effects())
	w.refuses(t, w.create(t, w.write("key-1", "act-1")), w.p.Idempotency.InFlight)
	w.done(t, w.create(t, w.write("key-2", "act-2")))
	close(release)
	w.done(t, <-done)
	assert.Len(t, w.Effects(), 2)

	asked := false
	plain := with(t, stripe(t), harness.Settings{}, func(o *Options) {
		o.Sleep = func(context.Context, time.Duration) error { asked = true; return nil }
	})
	plain.create(t, plain.write("key-1", "act-1"))
	assert.False(t, asked)
}

func TestThrottle(t *testing.T) {
	for _, c := range []struct {
		p    *targets.Profile
		want targets.Refusal
	}{
		{shape(t, "two-parts"), targets.Refusal{Status: 429, Code: "slow_down", RetryAfter: 2}},
		{stripe(t), targets.Refusal{Status: 429, RetryAfter: 1}},
	} {
		w := with(t, c.p, harness.Settings{Throttle: 2})
		for i := range 4 {
			r := w.create(t, w.write(fmt.Sprint("key-", i), fmt.Sprint("act-", i)))
			if i < 2 {
				w.done(t, r)
				w.clock.add(time.Millisecond)
				continue
			}
			w.refuses(t, r, c.want)
		}
		assert.Len(t, w.Effects(), 2)
		w.clock.add(second - 3*time.Millisecond)
		w.refuses(t, w.create(t, w.write("key-2", "act-2")), c.want)
		w.clock.add(time.Millisecond)
		w.done(t, w.create(t, w.write("key-2", "act-2")))
		assert.Len(t, w.Effects(), 3, "what was throttled is under no key")
	}
	plain := with(t, stripe(t), harness.Settings{})
	for i := range 50 {
		plain.done(t, plain.create(t, plain.write(fmt.Sprint("key-", i), "act")))
	}
}

func TestMaintenance(t *testing.T) {
	for _, c := range []struct {
		p    *targets.Profile
		want targets.Refusal
	}{
		{shape(t, "two-parts"), targets.Refusal{Status: 503, Code: "down", RetryAfter: 5}},
		{stripe(t), targets.Refusal{Status: 503, RetryAfter: 5}},
	} {
		w := with(t, c.p, harness.Settings{Maintenance: harness.Window{After: harness.Span{D: second}, For: harness.Span{D: 5 * second}}})
		w.done(t, w.create(t, w.write("key-1", "act-1")))
		w.clock.add(second)
		w.refuses(t, w.create(t, w.write("key-2", "act-2")), c.want)
		assert.Equal(t, http.StatusServiceUnavailable, w.send(t, c.p.FindOf(w.step), "", w.write("", "act-1")).status)
		w.clock.add(5*second - 1)
		w.refuses(t, w.create(t, w.write("key-1", "act-1")), targets.Refusal{Status: 503, RetryAfter: 1})
		assert.Len(t, w.Effects(), 1)
		w.clock.add(1)
		w.done(t, w.create(t, w.write("key-2", "act-2")))
		assert.Len(t, w.Effects(), 2)
	}
}

// TestWhatIsDueComesInItsOrder: the stranger who deletes after a second is before the
// work that fails after five, although the work was begun first.
func TestWhatIsDueComesInItsOrder(t *testing.T) {
	w := with(t, shape(t, "marked-record"), harness.Settings{
		Async: harness.Async{After: harness.Span{D: 5 * second}, Then: harness.AsyncFail}, ForeignDelete: harness.Span{D: second}})
	w.create(t, w.write("key-1", "act-1"))
	assert.Equal(t, 5*second, w.Pending())
	w.clock.add(second)
	assert.Equal(t, 4*second, w.Pending())
	require.Len(t, w.undos(), 2)
	assert.True(t, w.undos()[0].Foreign)
	w.clock.add(hour)
	assert.Zero(t, w.Pending())
	assert.Len(t, w.undos(), 2, "what is gone does not fail as well")
}
