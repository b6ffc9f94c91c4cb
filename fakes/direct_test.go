package fakes

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// direct is a fake asked without a socket.
func direct(t testing.TB, shape ...func(*Options)) (*Fake, *clock) {
	t.Helper()
	c := newClock()
	o := Options{Now: c.now, Seed: 1}
	for _, f := range shape {
		f(&o)
	}
	f, err := New(stripe(t), o)
	require.NoError(t, err)
	return f, c
}

func ask(f *Fake, method, target, body, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// FuzzRequest: no request brings the fake down, an answer is always of the profile's
// shape, and one that refuses leaves no trace in the ledger.
func FuzzRequest(f *testing.F) {
	for _, s := range [][6]string{
		{"POST", "/v1/refunds", "", "application/x-www-form-urlencoded", "k", partial},
		{"POST", "/v1/refunds", "", "application/x-www-form-urlencoded", "", "payment_intent=pi_1&amount=5&metadata[action_id]=a&expand[]=charge"},
		{"POST", "/v1/refunds", "", "application/json", "k", `{"charge":"ch_1"}`},
		{"POST", "/v1/refunds", "charge=ch_1", "application/x-www-form-urlencoded; charset=utf-8", strings.Repeat("k", 256), "amount=1"},
		{"POST", "/v1/refunds", "", "application/x-www-form-urlencoded", "clé", "charge=ch_1&amount=%zz"},
		{"POST", "/v1/refunds", "", "application/x-www-form-urlencoded", "k", "charge=ch_1&metadata[a][b]=c&metadata[]=d&metadata[=e"},
		{"GET", "/v1/refunds", "charge=ch_1&limit=100&starting_after=re_x", "", "", ""},
		{"GET", "/v1/refunds", "created[gte]=1&created[lt]=x&ending_before=re_1", "", "", ""},
		{"GET", "/v1/refunds/re_1", "expand[]=charge", "", "", ""},
		{"DELETE", "/v1/refunds/re_1", "", "", "k", "x"},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5])
	}
	methods := map[string]bool{"GET": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "HEAD": true}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, key, body string) {
		if !methods[method] {
			return
		}
		fake, _ := direct(t)
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL.Path, r.URL.RawQuery = path, query
		r.Header["Content-Type"] = []string{contentType}
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
		w := httptest.NewRecorder()
		fake.ServeHTTP(w, r)
		effects := len(fake.Effects())
		switch {
		case w.Code == http.StatusOK && method == http.MethodPost:
			require.Equal(t, 1, effects)
		case w.Code == http.StatusOK:
			require.Zero(t, effects)
		default:
			require.Zero(t, effects)
			require.GreaterOrEqual(t, w.Code, 400)
			require.Less(t, w.Code, 500)
			require.Contains(t, w.Body.String(), `"error"`)
		}
	})
}
