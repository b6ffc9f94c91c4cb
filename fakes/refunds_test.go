package fakes

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreateMakesOneRefund(t *testing.T) {
	s := serve(t)
	r := s.refund(t, "act_1", form("charge", "ch_1", "amount", "1099", "metadata[action_id]", "act_1",
		"reason", "duplicate", "expand[]", "balance_transaction"))
	require.Equal(t, 200, r.status, r.raw)
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Regexp(t, "^req_[0-9A-Za-z]{14}$", r.header.Get("Request-Id"))
	assert.Empty(t, r.header.Get("Idempotent-Replayed"))
	assert.Regexp(t, "^re_[0-9A-Za-z]{24}$", r.id())
	want := map[string]any{
		"id": r.id(), "object": "refund", "amount": 1099.0, "charge": "ch_1", "payment_intent": "pi_1", "currency": "usd",
		"created": 1.7e9, "metadata": map[string]any{"action_id": "act_1"}, "reason": "duplicate", "status": "succeeded",
		"balance_transaction": "txn_" + r.id()[3:], "receipt_number": nil, "source_transfer_reversal": nil, "transfer_reversal": nil,
	}
	assert.Equal(t, want, r.body)

	e := s.Effects()
	require.Len(t, e, 1)
	assert.Equal(t, 1, e[0].Seq)
	assert.Equal(t, r.id(), e[0].Resource)
	assert.Equal(t, "create", e[0].Op)
	assert.Equal(t, "do", e[0].Kind)
	assert.Equal(t, "ch_1", e[0].BusinessKey)
	assert.Equal(t, "act_1", e[0].Key)
	assert.Equal(t, "act_1", e[0].Reference)
	assert.Equal(t, 7, e[0].Attempt)
	assert.Equal(t, stripe(t).Namer().Digest(map[string]any{"charge": "ch_1", "amount": int64(1099)}), e[0].Arguments)

	got := s.get(t, "/v1/refunds/"+r.id())
	assert.Equal(t, 200, got.status)
	assert.Equal(t, r.body, got.body)
}

func TestPaymentIntentStandsForItsCharge(t *testing.T) {
	s := serve(t)
	r := s.refund(t, "", "payment_intent=pi_1&amount=5")
	require.Equal(t, 200, r.status, r.raw)
	assert.Equal(t, "ch_1", r.body["charge"])
	for _, q := range []string{"charge=ch_1", "payment_intent=pi_1"} {
		assert.Equal(t, []string{r.id()}, s.get(t, "/v1/refunds?"+q).ids())
	}
	assert.Empty(t, s.get(t, "/v1/refunds?charge=ch_2").ids())
}

func TestExpandedCharge(t *testing.T) {
	s := serve(t)
	r := s.refund(t, "", partial+"&expand[]=charge")
	require.Equal(t, 200, r.status, r.raw)
	charge := r.body["charge"].(map[string]any)
	assert.Equal(t, "ch_1", charge["id"])
	assert.Equal(t, 1099.0, charge["amount_refunded"])
	list := s.get(t, "/v1/refunds?charge=ch_1&expand[]=data.charge")
	assert.Contains(t, list.raw, `"amount_refunded":1099`)
}

func TestTheSumOfRefundsIsBounded(t *testing.T) {
	s := serve(t)
	require.Equal(t, 200, s.refund(t, "", "charge=ch_1&amount=60000").status)
	over := s.refund(t, "", "charge=ch_1&amount=40001")
	assert.Equal(t, 400, over.status)
	assert.Equal(t, "charge_already_refunded", over.error("code"))
	// Without an amount the rest is refunded.
	rest := s.refund(t, "", "charge=ch_1")
	assert.Equal(t, 40000.0, rest.body["amount"])
	again := s.refund(t, "", "charge=ch_1")
	assert.Equal(t, 400, again.status)
	assert.Equal(t, "charge_already_refunded", again.error("code"))
	assert.Equal(t, 200, s.refund(t, "", "charge=ch_2&amount=100000").status, "another charge has its own total")
	assert.Len(t, s.Effects(), 3)
}

func TestWhatStripeRefuses(t *testing.T) {
	big := strings.Repeat("x", 2<<20)
	var keys []string
	for i := range 51 {
		keys = append(keys, fmt.Sprintf("metadata[k%d]", i), "v")
	}
	post := func(body string, shape ...func(*http.Request)) func(*testing.T, *server) reply {
		return func(t *testing.T, s *server) reply { return s.do(t, "POST", "/v1/refunds", body, shape...) }
	}
	get := func(path string) func(*testing.T, *server) reply {
		return func(t *testing.T, s *server) reply { return s.get(t, path) }
	}
	for _, c := range []struct {
		name   string
		send   func(*testing.T, *server) reply
		status int
		code   string
		param  string
	}{
		{"no token", post(partial, withHeader("Authorization")), 401, "", ""},
		{"wrong token", post(partial, withHeader("Authorization", "Bearer sk_other")), 401, "", ""},
		{"token without scheme", post(partial, withHeader("Authorization", token)), 401, "", ""},
		{"no charge", post("amount=1"), 400, "parameter_missing", "charge"},
		{"nothing", post(""), 400, "parameter_missing", "charge"},
		{"charge and intent", post("charge=ch_1&payment_intent=pi_1"), 400, "", "charge"},
		{"no such charge", post("charge=cx_1&amount=1"), 400, "resource_missing", "charge"},
		{"a prefix alone", post("charge=ch_&amount=1"), 400, "resource_missing", "charge"},
		{"empty charge", post("charge=&amount=1"), 400, "parameter_invalid_empty", "charge"},
		{"amount of zero", post("charge=ch_1&amount=0"), 400, "parameter_invalid_integer", "amount"},
		{"negative amount", post("charge=ch_1&amount=-5"), 400, "parameter_invalid_integer", "amount"},
		{"amount with cents", post("charge=ch_1&amount=10.99"), 400, "parameter_invalid_integer", "amount"},
		{"amount with plus", post("charge=ch_1&amount=%2B5"), 400, "parameter_invalid_integer", "amount"},
		{"amount with zeros", post("charge=ch_1&amount=0012"), 400, "parameter_invalid_integer", "amount"},
		{"huge amount", post("charge=ch_1&amount=99999999999999999999"), 400, "parameter_invalid_integer", "amount"},
		{"amount twice", post("charge=ch_1&amount=1&amount=2"), 400, "", "amount"},
		{"unknown parameter", post(partial + "&colour=red"), 400, "parameter_unknown", "colour"},
		{"unknown reason", post(partial + "&reason=because"), 400, "", "reason"},
		{"metadata as text", post(partial + "&metadata=x"), 400, "", "metadata"},
		{"deep metadata", post(partial + "&metadata[a][b]=x"), 400, "", "metadata"},
		{"metadata with a long key", post(partial + "&metadata[" + strings.Repeat("k", 41) + "]=x"), 400, "", "metadata"},
		{"metadata with a long value", post(partial + "&metadata[k]=" + strings.Repeat("v", 501)), 400, "", "metadata"},
		{"metadata with many keys", post(partial + "&" + form(keys...)), 400, "", "metadata"},
		{"expanding what is not there", post(partial + "&expand[]=colour"), 400, "", "expand"},
		{"broken escape", post("charge=ch_1&amount=%zz"), 400, "", ""},
		{"no UTF-8", post("charge=ch_1&amount=1&metadata[a]=%ff"), 400, "", "metadata"},
		{"JSON", post(`{"charge":"ch_1","amount":1099}`, withHeader("Content-Type", "application/json")), 400, "", ""},
		{"form without its type", post(partial, withHeader("Content-Type")), 400, "", ""},
		{"parameters in the query", func(t *testing.T, s *server) reply { return s.do(t, "POST", "/v1/refunds?charge=ch_1", "amount=1") }, 400, "parameter_unknown", ""},
		{"too much", post("charge=ch_1&metadata[a]=" + big), 413, "", ""},
		{"long key", post(partial, withKey(strings.Repeat("k", 256))), 400, "", ""},
		{"two keys", post(partial, withHeader("Idempotency-Key", "a", "b")), 400, "", ""},
		{"no such path", get("/v1/refund"), 404, "", ""},
		{"path too long", get("/v1/refunds/re_1/more"), 404, "", ""},
		{"no such method", func(t *testing.T, s *server) reply { return s.do(t, "DELETE", "/v1/refunds", "") }, 404, "", ""},
		{"no such refund", get("/v1/refunds/re_nope"), 404, "resource_missing", "id"},
		{"limit of zero", get("/v1/refunds?limit=0"), 400, "parameter_invalid_integer", "limit"},
		{"limit of 101", get("/v1/refunds?limit=101"), 400, "parameter_invalid_integer", "limit"},
		{"unknown cursor", get("/v1/refunds?starting_after=re_nope"), 400, "resource_missing", "starting_after"},
		{"both cursors", get("/v1/refunds?starting_after=re_a&ending_before=re_b"), 400, "", "starting_after"},
		{"look-up by metadata", get("/v1/refunds?metadata[action_id]=act_1"), 400, "parameter_unknown", "metadata[action_id]"},
		{"unknown bound", get("/v1/refunds?created[at]=1"), 400, "parameter_unknown", "created"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			r := c.send(t, s)
			assert.Equal(t, c.status, r.status, r.raw)
			assert.Equal(t, c.code, r.error("code"), r.raw)
			assert.Equal(t, c.param, r.error("param"), r.raw)
			assert.NotEmpty(t, r.error("message"))
			assert.Equal(t, "invalid_request_error", r.error("type"))
			assert.NotEmpty(t, r.header.Get("Request-Id"))
			assert.Empty(t, s.Effects())
			// A refusal spends nothing: the whole charge can still be refunded.
			assert.Equal(t, 200, s.refund(t, "after", "charge=ch_1&amount=100000").status)
		})
	}
}

func TestBasicAuthentication(t *testing.T) {
	s := serve(t)
	r := s.do(t, "POST", "/v1/refunds", partial, func(r *http.Request) { r.SetBasicAuth(token, "") })
	assert.Equal(t, 200, r.status)
}

func TestPagesNewestFirst(t *testing.T) {
	s := serve(t)
	var want []string
	for i := range 25 {
		want = append([]string{s.refund(t, "", fmt.Sprintf("charge=ch_1&amount=%d", i+1)).id()}, want...)
		s.refund(t, "", "charge=ch_2&amount=1")
	}
	first := s.get(t, "/v1/refunds?charge=ch_1")
	assert.Equal(t, "list", first.body["object"])
	assert.Equal(t, "/v1/refunds", first.body["url"])
	assert.Equal(t, true, first.body["has_more"])
	assert.Equal(t, want[:10], first.ids())

	var walked []string
	cursor := ""
	for more := true; more; {
		r := s.get(t, "/v1/refunds?charge=ch_1&limit=7"+cursor)
		require.Equal(t, 200, r.status, r.raw)
		walked = append(walked, r.ids()...)
		more = r.body["has_more"].(bool)
		cursor = "&starting_after=" + walked[len(walked)-1]
	}
	assert.Equal(t, want, walked)

	back := s.get(t, "/v1/refunds?charge=ch_1&limit=3&ending_before="+want[5])
	assert.Equal(t, want[2:5], back.ids())
	assert.Equal(t, true, back.body["has_more"])
	assert.Len(t, s.get(t, "/v1/refunds?limit=100").ids(), 50)
	assert.Equal(t, 400, s.get(t, "/v1/refunds?charge=ch_2&starting_after="+want[0]).status, "a cursor of another list")
}

func TestListByTime(t *testing.T) {
	s := serve(t)
	a := s.refund(t, "", "charge=ch_1&amount=1").id()
	s.clock.add(10 * time.Second)
	b := s.refund(t, "", "charge=ch_1&amount=1").id()
	assert.Equal(t, []string{b}, s.get(t, "/v1/refunds?created[gt]=1700000000").ids())
	assert.Equal(t, []string{b, a}, s.get(t, "/v1/refunds?created[gte]=1700000000").ids())
	assert.Equal(t, []string{a}, s.get(t, "/v1/refunds?created[lt]=1700000010").ids())
	assert.Equal(t, []string{a}, s.get(t, "/v1/refunds?created[gte]=1700000000&created[lte]=1700000009").ids())
}
