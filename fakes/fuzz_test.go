package fakes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// FuzzRequest: whatever is sent to the fake of any profile, it stays up, answers in
// the profile's own shape, and what it refuses leaves no trace in the ledger. The
// request meets a target at which each step was done once.
func FuzzRequest(f *testing.F) {
	profiles := everyProfile(f)
	for i, p := range profiles {
		for _, s := range requestsOf(f, p) {
			f.Add(i, s.Method, s.Path, s.Query, strings.Join(s.Header["Content-Type"], ""), strings.Join(s.Header[p.Idempotency.Key.Header], ""), s.Body)
		}
	}
	for _, s := range [][6]string{
		{"POST", "/v1/refunds", "", formType, "", "payment_intent=pi_1&amount=5&metadata[action_id]=a&expand[]=charge"},
		{"POST", "/v1/refunds", "", jsonType, "k", `{"charge":"ch_1"}`},
		{"POST", "/v1/refunds", "charge=ch_1", formType + "; charset=utf-8", strings.Repeat("k", 256), "amount=1"},
		{"POST", "/v1/refunds", "", formType, "clé", "charge=ch_1&amount=%zz"},
		{"POST", "/v1/refunds", "", formType, "  k", "charge=ch_1&metadata[a][b]=c&metadata[]=d&metadata[=e"},
		{"GET", "/v1/refunds", "charge=ch_1&limit=100&starting_after=re_x", "", "", ""},
		{"GET", "/v1/refunds", "created[gte]=1&created[lt]=x&ending_before=re_1", "", "", ""},
		{"DELETE", "/v1/refunds/re_1", "", "", "k", "x"},
		{"POST", "/", "", jsonType, `"k`, `{"a":{"a":{"a":[{},[[]]]}},"a":null}`},
		{"POST", "//", "page=0&page=-1&limit=99999999999999999999", "text/plain", "\x00", "\xff"},
	} {
		for i := range profiles {
			f.Add(i, s[0], s[1], s[2], s[3], s[4], []byte(s[5]))
		}
	}
	f.Fuzz(func(t *testing.T, which int, method, path, query, contentType, key string, body []byte) {
		if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, method) || which < 0 || which >= len(profiles) {
			return
		}
		p := profiles[which]
		fake := walked(t, p)
		before := fake.Effects()
		r := httptest.NewRequest(method, "/", strings.NewReader(string(body)))
		r.URL.Path, r.URL.RawQuery = path, query
		r.Header["Content-Type"] = []string{contentType}
		if h := p.Idempotency.Key.Header; key != "" && h != "" {
			r.Header[h] = []string{key}
		}
		w := httptest.NewRecorder()
		fake.ServeHTTP(w, r)
		effects := fake.Effects()
		require.Equal(t, before, effects[:len(before)], "the ledger only grows")
		op := p.Namer().Name(harness.RawRequest{Method: method, Path: path, Query: query, Header: r.Header, Body: body}).Op
		switch {
		case w.Code < 300 && p.Operations[op].Changes:
			require.LessOrEqual(t, len(effects)-len(before), len(p.Parts)+1)
		case w.Code < 300:
			require.Len(t, effects, len(before), "a read does nothing")
		default:
			require.Len(t, effects, len(before), "%d leaves nothing behind", w.Code)
			require.GreaterOrEqual(t, w.Code, 400)
			if p.Protocol == "" {
				// A 5yz of SMTP says as definitely as a 4xx of HTTP that nothing was done.
				require.Less(t, w.Code, 500)
			}
		}
		a := p.Namer().Answer(op, harness.RawAnswer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()})
		require.False(t, a.Opaque, "%d %s", w.Code, w.Body)
	})
}

// requestsOf are well-formed requests of every operation of a profile.
func requestsOf(t testing.TB, p *targets.Profile) []harness.RawRequest {
	t.Helper()
	a := p.DefaultAction()
	made := map[string]string{}
	for _, e := range walked(t, p).Effects() {
		made[e.Op] = e.Resource
	}
	var out []harness.RawRequest
	for name, op := range p.Operations {
		id := made[p.Makers(name)[0]]
		if op.IDs == "client" {
			id = "act-2"
		}
		raw, err := p.Request(name, id, targets.Write{Key: "key-2", ActionID: "act-2", BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: made})
		require.NoError(t, err)
		out = append(out, raw)
	}
	return out
}

// walked is a fake at which each step was done once. It asks for no proof.
func walked(t testing.TB, p *targets.Profile) *Fake {
	t.Helper()
	c := newClock()
	f, err := New(p, Options{Now: c.now, Seed: 1, Limits: harness.DefaultLimits()})
	require.NoError(t, err)
	f.known = new(known)
	a := p.DefaultAction()
	made := map[string]string{}
	for i, step := range p.Steps() {
		raw, err := p.Request(step, "", targets.Write{Key: fmt.Sprint("key-", i), ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: made})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		r := request(raw)
		r.Body = http.NoBody
		if len(raw.Body) > 0 {
			r = httptest.NewRequest(raw.Method, raw.Path, strings.NewReader(string(raw.Body)))
			r.Header = raw.Header
		}
		f.ServeHTTP(w, r)
		require.Less(t, w.Code, 300, "%s: %s", p.Name, w.Body)
		made[step] = f.Effects()[len(f.Effects())-1].Resource
	}
	return f
}
