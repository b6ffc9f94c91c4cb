package targets

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

func name(p *Profile, method, path, query, body string, header ...string) harness.Named {
	h := map[string][]string{}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = append(h[header[i]], header[i+1])
	}
	r := harness.RawRequest{Method: method, Path: path, Query: query, Header: h}
	if body != "" {
		r.Body = []byte(body)
	}
	return *p.Namer().Name(r)
}

func TestNameReadsACreate(t *testing.T) {
	p := stripe(t)
	got := name(p, "POST", "/v1/refunds", "", "charge=ch_1&amount=1099&metadata%5Baction_id%5D=act_1&reason=duplicate", "Idempotency-Key", "k")
	assert.Equal(t, harness.Named{
		Op: "create", Changes: true, Key: "k", BusinessKey: "ch_1", Reference: "act_1",
		Arguments: p.Namer().Digest(harness.Arguments{"charge": "ch_1", "amount": int64(1099)}),
	}, got)
	// Spelled otherwise it is the same.
	assert.Equal(t, got, name(p, "POST", "/v1/refunds", "", "metadata[action_id]=act_1&amount=10%399&charge=ch%5F1", "Idempotency-Key", "k"))
	assert.NotEqual(t, got.Arguments, name(p, "POST", "/v1/refunds", "", "charge=ch_1&amount=1299").Arguments)
	assert.NotEqual(t, got.Arguments, name(p, "POST", "/v1/refunds", "", "charge=ch_1").Arguments)
	assert.Equal(t, "pi_1", name(p, "POST", "/v1/refunds", "", "payment_intent=pi_1&amount=1").BusinessKey)
}

func TestNameReadsLookUps(t *testing.T) {
	p := stripe(t)
	assert.Equal(t, harness.Named{Op: "find", BusinessKey: "ch_1"}, name(p, "GET", "/v1/refunds", "limit=100&charge=ch_1", ""))
	assert.Equal(t, harness.Named{Op: "get", Resource: "re_1"}, name(p, "GET", "/v1/refunds/re_1", "", ""))
}

func TestNameOfWhatTheProfileDoesNotKnow(t *testing.T) {
	p := stripe(t)
	assert.Equal(t, harness.Named{}, name(p, "GET", "/health", "", ""))
	assert.Equal(t, harness.Named{Changes: true, Key: "k"}, name(p, "DELETE", "/v1/refunds/re_1", "", "", "Idempotency-Key", "k"))
	assert.Equal(t, harness.Named{Changes: true}, name(p, "POST", "/v1/refunds/re_1/cancel", "", "x=1"))
	assert.Empty(t, name(p, "GET", "v1/refunds", "", "").Op)
	assert.Empty(t, name(p, "GET", "/v1/refunds/", "", "").Op)
}

func TestNameOfAHeadAlone(t *testing.T) {
	got := name(stripe(t), "POST", "/v1/refunds", "", "", "Idempotency-Key", "k")
	assert.Equal(t, harness.Named{Op: "create", Changes: true, Key: "k"}, got)
}

func TestAnswers(t *testing.T) {
	p := stripe(t)
	args := p.Namer().Digest(harness.Arguments{"charge": "ch_1", "amount": int64(5)})
	ours := harness.Found{Resource: "re_1", Reference: "act_1", Arguments: args}
	const refund = `{"id":"re_1","charge":"ch_1","amount":5,"metadata":{"action_id":"act_1"}}`
	for _, c := range []struct {
		name, op string
		status   int
		body     string
		want     harness.Answered
	}{
		{"created", "create", 200, refund, harness.Answered{Resource: "re_1"}},
		{"read", "get", 200, refund, harness.Answered{Resource: "re_1", Found: []harness.Found{ours}}},
		{"listed", "find", 200, `{"data":[` + refund + `,{"id":"re_2"}],"has_more":true}`,
			harness.Answered{More: true, Found: []harness.Found{ours, {Resource: "re_2", Arguments: p.Namer().Digest(nil)}}}},
		{"listed none", "find", 200, `{"data":[],"has_more":false}`, harness.Answered{}},
		{"error with a code", "create", 400, `{"error":{"type":"invalid_request_error","code":"parameter_missing"}}`, harness.Answered{Code: "parameter_missing"}},
		{"error with a type", "create", 400, `{"error":{"type":"idempotency_error"}}`, harness.Answered{Code: "idempotency_error"}},
		{"html", "create", 502, `<html>Bad Gateway</html>`, harness.Answered{Opaque: true}},
		{"html that says 200", "create", 200, `<html>`, harness.Answered{Opaque: true}},
		{"cut", "create", 200, refund[:30], harness.Answered{Opaque: true}},
		{"empty", "create", 200, ``, harness.Answered{Opaque: true}},
		{"an object without ID", "create", 200, `{"ok":true}`, harness.Answered{Opaque: true}},
		{"an empty ID", "create", 200, `{"id":""}`, harness.Answered{Opaque: true}},
		{"a list that is none", "find", 200, `{"data":{}}`, harness.Answered{Opaque: true}},
		{"a list of something else", "find", 200, `{"data":[1]}`, harness.Answered{Opaque: true}},
		{"somebody else's error", "create", 503, `{"message":"no healthy upstream"}`, harness.Answered{Opaque: true}},
		{"a redirect", "create", 302, `{}`, harness.Answered{Opaque: true}},
	} {
		got := *p.Namer().Answer(c.op, harness.RawAnswer{Status: c.status, Body: []byte(c.body)})
		assert.Equal(t, c.want, got, c.name)
	}
	marked := p.Namer().Answer("create", harness.RawAnswer{Status: 200, Body: []byte(refund),
		Header: map[string][]string{"Idempotent-Replayed": {"true"}}})
	assert.True(t, marked.Replayed)
}

func TestErrorIsReadBackAsItself(t *testing.T) {
	n := stripe(t).Namer()
	for _, c := range []struct {
		status     int
		code, want string
	}{
		{503, "", "api_error"},
		{402, "card_declined", "card_declined"},
		{400, "idempotency_error", "idempotency_error"},
		{409, "idempotency_key_in_use", "idempotency_key_in_use"},
		{429, "", "invalid_request_error"},
	} {
		a := n.Error(c.status, c.code)
		assert.Equal(t, c.status, a.Status)
		got := *n.Answer("create", a)
		assert.Equal(t, harness.Answered{Code: c.want}, got)
	}
}

// TestDigestIsCanonical: the digest is that of the RFC 8785 form of the texts.
func TestDigestIsCanonical(t *testing.T) {
	p := stripe(t)
	rapid.Check(t, func(t *rapid.T) {
		charge := rapid.String().Draw(t, "charge")
		amount := rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(t, "amount")
		got := p.Namer().Digest(harness.Arguments{"charge": charge, "amount": amount})
		text := argumentText(amount)
		if want := (harness.Arguments{"charge": charge, "amount": text}).Digest(); got != want {
			t.Fatalf("digest of %q, %d differs from the canonical one", charge, amount)
		}
		form := url.Values{"charge": {charge}, "amount": {text}}.Encode()
		if n := name(p, "POST", "/v1/refunds", "", form); n.Arguments != got {
			t.Fatalf("form %q is read as other arguments", form)
		}
	})
}

// TestRequestIsReadBack: what the client writes, the namer reads.
func TestRequestIsReadBack(t *testing.T) {
	p := stripe(t)
	rapid.Check(t, func(t *rapid.T) {
		w := Write{
			Key:       rapid.StringMatching(`[ -~]{1,40}`).Draw(t, "key"),
			ActionID:  rapid.StringN(1, 20, -1).Draw(t, "id"),
			Arguments: harness.Arguments{"charge": rapid.String().Draw(t, "charge"), "amount": rapid.Int64Range(0, 1<<40).Draw(t, "amount")},
		}
		raw, err := p.Request("create", "", w)
		if err != nil {
			t.Fatal(err)
		}
		got := *p.Namer().Name(raw)
		if got.Key != w.Key || got.Reference != w.ActionID || got.BusinessKey != w.Arguments["charge"] || got.Arguments != p.Namer().Digest(w.Arguments) {
			t.Fatalf("%+v is read as %+v", w, got)
		}
	})
}

func TestJSONProfile(t *testing.T) {
	p, err := Parse([]byte(`
name: made-up
auth: {schemes: [bearer]}
idempotency:
  key: {body: idempotency_key, malformed: refuse, missing: accept}
  scope: account
  same_arguments: replay
  other_arguments: replay
  in_flight: {status: 409}
reference: note.ref
lookup: {by: [business_key]}
operations:
  create:
    method: PUT
    path: /things/${id}
    changes: true
    ids: client
    id: thing.id
    json: {thing.name: "${business_key}", size: "${arguments.size}", note.ref: "${action_id}", kind: box}
  find: {method: GET, path: /things, query: {name: "${business_key}"}, items: things, id: thing.id}
`), "made-up.yaml")
	require.NoError(t, err)
	raw, err := p.Request("create", "a/b", Write{Key: "k", ActionID: "act", BusinessKey: "n", Arguments: harness.Arguments{"size": int64(3)}})
	require.NoError(t, err)
	assert.Equal(t, "/things/a%2Fb", raw.Path)
	assert.JSONEq(t, `{"thing":{"name":"n"},"size":3,"note":{"ref":"act"},"kind":"box","idempotency_key":"k"}`, string(raw.Body))
	got := *p.Namer().Name(raw)
	assert.Equal(t, harness.Named{Op: "create", Changes: true, Key: "k", BusinessKey: "n", Reference: "act", Resource: "a%2Fb",
		Arguments: p.Namer().Digest(harness.Arguments{"size": "3"})}, got)
	assert.True(t, p.Promises().ClientIDs)
	assert.Equal(t, "replay", p.Promises().Key.Other)
	_, err = p.Request("create", "", Write{Arguments: harness.Arguments{"colour": "red"}})
	assert.ErrorContains(t, err, "colour")
}

// FuzzPick holds the small scanner to encoding/json.
func FuzzPick(f *testing.F) {
	for _, s := range []string{`{"a":{"b":1099}}`, `{"a":{"b":"x\"y"},"a":{"b":[1,{"b":2}]}}`, ` { "a" : { "\u0062" : null } } `, `[]`, `{"a":{"b":-1.5e3,"c":{}}}`, `{"a":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		got, ok := pick([]byte(s), []string{"a", "b"})
		var want any
		var present bool
		var root map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &root) == nil {
			var inner map[string]json.RawMessage
			if json.Unmarshal(root["a"], &inner) == nil {
				var raw json.RawMessage
				if raw, present = inner["b"]; present {
					require.NoError(t, json.Unmarshal(raw, &want))
				}
			}
		}
		require.Equal(t, present, ok, "%q", got)
		if ok {
			var have any
			require.NoError(t, json.Unmarshal(got, &have), "%q", got)
			require.Equal(t, want, have)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		b, err := profiles.ReadFile("profiles/" + name + ".yaml")
		require.NoError(f, err)
		f.Add(string(b))
	}
	f.Add(broken)
	for _, s := range []string{"", "name: x", "a: &a [1]\nb: [*a, *a]\n", "name: x\noperations: {get: {<<: {method: GET}, path: /}}", "name: [", "operations: {create: {method: POST, path: /x}}", "name: x\noperations:\n  a: &a {method: GET, path: /}\n  b: *a",
		"example: {arguments: {a: {b: [1]}}, changed: {/a/b/0: 2}}", "idempotency: {other_arguments: replay}", "errors: [{status: 1e3}]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse([]byte(s), "fuzz.yaml")
		if err != nil {
			require.Contains(t, err.Error(), "fuzz.yaml:")
			require.Nil(t, p)
			return
		}
		// What is accepted can be used.
		p.Promises()
		a := p.DefaultAction()
		n := p.Namer()
		for name, op := range p.Operations {
			_, _ = p.Request(name, "x", Write{Key: "k", ActionID: "a", BusinessKey: a.BusinessKey, Arguments: a.Arguments})
			named := n.Name(harness.RawRequest{Method: op.Method, Path: strings.ReplaceAll(op.Path, idSegment, "x"), Body: []byte("a=1")})
			n.Answer(named.Op, n.Error(500, ""))
		}
	})
}
