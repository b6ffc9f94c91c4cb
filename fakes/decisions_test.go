package fakes

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// decide has the schedule want this once, and counts how often it fired.
func (s *server) decide(d harness.TargetDecision) (fired *int) {
	fired = new(int)
	asked := false
	s.inside = func(context.Context) harness.TargetDecision {
		if asked {
			return harness.TargetDecision{}
		}
		asked = true
		d.Fired = func() { *fired++ }
		return d
	}
	return fired
}

func TestRejectCommitsNothingAndIsKept(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		kind   string
		kept   bool
	}{
		{402, "card_declined", "card_error", true},
		{422, "", "invalid_request_error", true},
		{500, "", "api_error", true},
		{429, "rate_limit", "invalid_request_error", false},
		{409, "lock_timeout", "invalid_request_error", false},
	} {
		s := serve(t)
		fired := s.decide(harness.TargetDecision{Name: "reject", Status: c.status, Code: c.code})
		r := s.refund(t, "k", partial)
		assert.Equal(t, c.status, r.status)
		assert.Equal(t, c.code, r.error("code"))
		assert.Equal(t, c.kind, r.error("type"))
		assert.Equal(t, 1, *fired)
		assert.Empty(t, s.Effects())
		again := s.refund(t, "k", partial)
		if c.kept {
			assert.Equal(t, r.raw, again.raw)
			assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
			assert.Empty(t, s.Effects())
		} else {
			assert.Equal(t, 200, again.status)
			assert.Len(t, s.Effects(), 1)
		}
	}
}

func TestFailCommitsAndIsKept(t *testing.T) {
	s := serve(t)
	fired := s.decide(harness.TargetDecision{Name: "fail", Status: 500})
	r := s.refund(t, "k", partial)
	assert.Equal(t, 500, r.status)
	assert.Equal(t, 1, *fired)
	require.Len(t, s.Effects(), 1)
	again := s.refund(t, "k", partial)
	assert.Equal(t, 500, again.status)
	assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	assert.Len(t, s.Effects(), 1)
	assert.Equal(t, []string{s.Effects()[0].Resource}, s.get(t, "/v1/refunds?charge=ch_1").ids())
}

func TestFailThatTheStateRefusesDoesNotFire(t *testing.T) {
	s := serve(t)
	fired := s.decide(harness.TargetDecision{Name: "fail", Status: 500})
	assert.Equal(t, 400, s.refund(t, "k", "charge=ch_1&amount=100001").status)
	assert.Zero(t, *fired)
	assert.Empty(t, s.Effects())
}

func TestSwallowAnswersAsToADuplicate(t *testing.T) {
	s := serve(t)
	fired := s.decide(harness.TargetDecision{Name: "swallow"})
	r := s.refund(t, "k", partial)
	assert.Equal(t, 200, r.status)
	assert.Equal(t, "true", r.header.Get("Idempotent-Replayed"))
	assert.Equal(t, 1, *fired)
	assert.Empty(t, s.Effects())
	assert.Empty(t, s.get(t, "/v1/refunds?charge=ch_1").ids())
	assert.Equal(t, 404, s.get(t, "/v1/refunds/"+r.id()).status)
	assert.Equal(t, 200, s.refund(t, "all", "charge=ch_1&amount=100000").status, "nothing was spent")
}

func TestRestartForgetsKeysAndKeepsEffects(t *testing.T) {
	s := serve(t)
	before := s.refund(t, "old", partial).id()
	fired := s.decide(harness.TargetDecision{Name: "restart"})
	first := s.refund(t, "k", partial)
	assert.Equal(t, 200, first.status)
	assert.Equal(t, 1, *fired)
	assert.NotEqual(t, first.id(), s.refund(t, "k", partial).id())
	assert.NotEqual(t, before, s.refund(t, "old", partial).id())
	assert.Len(t, s.Effects(), 4)
	assert.Len(t, s.get(t, "/v1/refunds?charge=ch_1").ids(), 4)
}

func TestReplaysAreNotAsked(t *testing.T) {
	s := serve(t)
	s.refund(t, "k", partial)
	s.inside = func(context.Context) harness.TargetDecision { t.Error("asked"); return harness.TargetDecision{} }
	s.refund(t, "k", partial)
	s.refund(t, "k", "charge=ch_1&amount=1")
	s.refund(t, "bad", "charge=ch_1&amount=0")
	s.get(t, "/v1/refunds")
}

func TestStaleRead(t *testing.T) {
	s := serve(t, func(o *Options) { o.Settings.StaleRead = harness.Span{D: time.Second} })
	id := s.refund(t, "k", partial).id()
	assert.Empty(t, s.get(t, "/v1/refunds?charge=ch_1").ids())
	assert.Equal(t, 404, s.get(t, "/v1/refunds/"+id).status)
	assert.Equal(t, id, s.refund(t, "k", partial).id(), "a replay is no read")
	s.clock.add(time.Second)
	assert.Equal(t, []string{id}, s.get(t, "/v1/refunds?charge=ch_1").ids())
	assert.Equal(t, 200, s.get(t, "/v1/refunds/"+id).status)
}

func TestForeignObject(t *testing.T) {
	a := stripe(t).DefaultAction()
	s := serve(t, func(o *Options) { o.Settings.ForeignObject, o.Action = true, a })
	e := s.Effects()
	require.Len(t, e, 1)
	assert.True(t, e[0].Foreign)
	assert.Equal(t, a.BusinessKey, e[0].BusinessKey)
	assert.Empty(t, e[0].Reference)
	assert.Zero(t, e[0].Attempt)
	assert.Equal(t, stripe(t).Namer().Digest(a.Arguments), e[0].Arguments)
	list := s.get(t, "/v1/refunds?charge="+a.BusinessKey)
	assert.Equal(t, []string{e[0].Resource}, list.ids())
	assert.NotContains(t, list.raw, "action_id")

	_, err := New(stripe(t), Options{Settings: harness.Settings{ForeignObject: true}})
	require.ErrorContains(t, err, "foreign object")
}

func TestIDsComeFromTheSeed(t *testing.T) {
	ids := func(seed uint64) (out []string) {
		s := serve(t, func(o *Options) { o.Seed = seed })
		for range 3 {
			out = append(out, s.refund(t, "", partial).id())
		}
		return out
	}
	assert.Equal(t, ids(1), ids(1))
	assert.NotEqual(t, ids(1), ids(2))
}
