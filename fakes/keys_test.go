package fakes

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

func TestSameKeySameParametersReplays(t *testing.T) {
	s := serve(t)
	first := s.refund(t, "k", "charge=ch_1&amount=1099")
	// The order of the parameters is no difference.
	again := s.refund(t, "k", "amount=1099&charge=ch_1")
	assert.Equal(t, first.raw, again.raw)
	assert.Equal(t, first.status, again.status)
	assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	assert.NotEqual(t, first.header.Get("Request-Id"), again.header.Get("Request-Id"))
	assert.Len(t, s.Effects(), 1)
}

func TestNoKeyMeansNoProtection(t *testing.T) {
	s := serve(t)
	assert.NotEqual(t, s.refund(t, "", partial).id(), s.refund(t, "", partial).id())
	assert.Len(t, s.Effects(), 2)
}

func TestSameKeyOtherParametersIsRefused(t *testing.T) {
	s := serve(t)
	s.refund(t, "k", partial)
	for _, other := range []string{"charge=ch_1&amount=1299", "charge=ch_2&amount=1099", partial + "&metadata[a]=b"} {
		r := s.refund(t, "k", other)
		assert.Equal(t, 400, r.status)
		assert.Equal(t, "idempotency_error", r.error("type"))
		assert.Empty(t, r.error("code"), "Stripe names no code beside this type")
	}
	assert.Len(t, s.Effects(), 1)
	assert.Equal(t, "true", s.refund(t, "k", partial).header.Get("Idempotent-Replayed"), "the first answer is still kept")
}

func TestKeysOfAllSorts(t *testing.T) {
	for _, key := range []string{"a", strings.Repeat("k", 255), `"quoted"`, "clé-日本", "with space inside", "act_1:g2"} {
		s := serve(t)
		first := s.refund(t, key, partial)
		require.Equal(t, 200, first.status, key)
		assert.Equal(t, first.id(), s.refund(t, key, partial).id(), key)
		assert.Equal(t, key, s.Effects()[0].Key)
		assert.Len(t, s.Effects(), 1)
	}
	// A quoted key and a bare one are two keys: Stripe reads no structured fields.
	s := serve(t)
	assert.NotEqual(t, s.refund(t, `"k"`, partial).id(), s.refund(t, "k", partial).id())
	// Spaces around a header's value are no part of it (RFC 9110 section 5.5).
	assert.Equal(t, s.refund(t, "k2", partial).id(), s.refund(t, "  k2 ", partial).id())
}

func TestKeysAreForgotten(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape func(*Options)
		kept  time.Duration
	}{
		{"as documented", func(*Options) {}, 24 * time.Hour},
		{"forget-key", func(o *Options) { o.Settings.ForgetKey = true }, 600 * time.Millisecond},
		{"forget-after", func(o *Options) { o.Settings.ForgetAfter = harness.Span{D: time.Second} }, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.shape)
			first := s.refund(t, "k", partial).id()
			s.clock.add(c.kept - time.Nanosecond)
			assert.Equal(t, first, s.refund(t, "k", partial).id())
			s.clock.add(time.Nanosecond)
			assert.NotEqual(t, first, s.refund(t, "k", partial).id())
			assert.Len(t, s.Effects(), 2)
		})
	}
}

func TestValidationFailuresAreNotKept(t *testing.T) {
	s := serve(t)
	assert.Equal(t, 400, s.refund(t, "k", "charge=ch_1&amount=0").status)
	assert.Equal(t, 401, s.do(t, "POST", "/v1/refunds", partial, withKey("k"), withHeader("Authorization", "Bearer x")).status)
	r := s.refund(t, "k", partial)
	assert.Equal(t, 200, r.status, r.raw)
	assert.Empty(t, r.header.Get("Idempotent-Replayed"))
}

func TestExecutedFailuresAreKept(t *testing.T) {
	s := serve(t)
	first := s.refund(t, "k", "charge=ch_1&amount=100001")
	assert.Equal(t, "charge_already_refunded", first.error("code"))
	again := s.refund(t, "k", "charge=ch_1&amount=100001")
	assert.Equal(t, first.raw, again.raw)
	assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
}

// TestInFlight sends the same key while the first request waits before its commit.
func TestInFlight(t *testing.T) {
	s := serve(t)
	claimed, release := make(chan struct{}), make(chan struct{})
	var asked atomic.Int32
	s.inside = func(context.Context) harness.TargetDecision {
		if asked.Add(1) == 1 {
			close(claimed)
			<-release
		}
		return harness.TargetDecision{}
	}
	first := make(chan reply)
	go func() { first <- s.refund(t, "k", partial) }()
	<-claimed
	meanwhile := s.refund(t, "k", partial)
	assert.Equal(t, 409, meanwhile.status)
	assert.Equal(t, "idempotency_key_in_use", meanwhile.error("code"))
	assert.Equal(t, "idempotency_error", meanwhile.error("type"))
	assert.Empty(t, s.Effects())
	// No lock is held in the window: other keys and reads go on.
	assert.Equal(t, 200, s.refund(t, "other", partial).status)
	assert.Len(t, s.get(t, "/v1/refunds?charge=ch_1").ids(), 1)
	close(release)
	done := <-first
	assert.Equal(t, 200, done.status)
	// The 409 was not kept.
	assert.Equal(t, done.id(), s.refund(t, "k", partial).id())
	assert.Len(t, s.Effects(), 2)
}

func TestFiftyAtOnceOnOneKey(t *testing.T) {
	s := serve(t)
	replies := make([]reply, 50)
	var wg sync.WaitGroup
	for i := range replies {
		wg.Go(func() { replies[i] = s.refund(t, "k", partial) })
	}
	wg.Wait()
	e := s.Effects()
	require.Len(t, e, 1)
	own := 0
	for _, r := range replies {
		switch r.status {
		case 409:
			assert.Equal(t, "idempotency_key_in_use", r.error("code"))
		default:
			require.Equal(t, 200, r.status, r.raw)
			assert.Equal(t, e[0].Resource, r.id())
			if r.header.Get("Idempotent-Replayed") == "" {
				own++
			}
		}
	}
	assert.Equal(t, 1, own)
}

func TestFiftyAtOnceOnFiftyKeys(t *testing.T) {
	s := serve(t)
	var seen []harness.Effect
	s.Watch(func(e harness.Effect) {
		// The watcher may read the ledger.
		assert.Len(t, s.Effects(), e.Seq)
		seen = append(seen, e)
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { s.refund(t, strings.Repeat("k", i+1), partial) })
	}
	wg.Wait()
	assert.Len(t, s.Effects(), 50)
	assert.Equal(t, s.Effects(), seen)
	assert.Equal(t, 200, s.refund(t, "rest", "charge=ch_1&amount=45050").status)
	assert.Equal(t, 400, s.refund(t, "more", "charge=ch_1&amount=1").status)
}

func TestAPanicFreesTheKey(t *testing.T) {
	f, err := New(stripe(t), Options{})
	require.NoError(t, err)
	ctx := harness.WithCrossing(context.Background(), &harness.Crossing{Inside: func(context.Context) harness.TargetDecision { panic("gone") }})
	c := &call{key: "k", print: "p", op: &targets.Operation{}}
	assert.PanicsWithValue(t, "gone", func() { f.change(ctx, c) })
	assert.Empty(t, f.keys.Entries)
}
