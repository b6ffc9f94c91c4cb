package fakes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

const token = "sk_test_drill"

// clock is a world's clock that a test moves by hand.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Unix(1_700_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// server is a fake behind real HTTP.
type server struct {
	*Fake
	url    string
	clock  *clock
	client *http.Client
	// inside is what the schedule wants at the commit.
	inside func(ctx context.Context) harness.TargetDecision
}

func stripe(t testing.TB) *targets.Profile {
	t.Helper()
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	return p
}

func serve(t testing.TB, shape ...func(*Options)) *server {
	t.Helper()
	return serveProfile(t, stripe(t), shape...)
}

func serveProfile(t testing.TB, p *targets.Profile, shape ...func(*Options)) *server {
	t.Helper()
	s := &server{clock: newClock()}
	o := Options{Token: token, Now: s.clock.now, Seed: 1, Limits: harness.DefaultLimits()}
	for _, f := range shape {
		f(&o)
	}
	f, err := New(p, o)
	require.NoError(t, err)
	f.known = new(known)
	s.Fake = f
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &harness.Crossing{Attempt: 7, Inside: s.inside}
		// As the tap does: it reads the request first.
		body, err := io.ReadAll(r.Body)
		if err == nil {
			c.Named = f.namer.Name(harness.RawRequest{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body})
		}
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(cmp.Or(err, io.EOF))))
		f.ServeHTTP(w, r.WithContext(harness.WithCrossing(r.Context(), c)))
	}))
	t.Cleanup(h.Close)
	s.url, s.client = h.URL, h.Client()
	return s
}

// reply is an answer, read to the end.
type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r reply) id() string { s, _ := r.body["id"].(string); return s }

func (r reply) error(field string) string {
	e, _ := r.body["error"].(map[string]any)
	s, _ := e[field].(string)
	return s
}

func (r reply) ids() []string {
	var out []string
	list, _ := r.body["data"].([]any)
	for _, o := range list {
		out = append(out, o.(map[string]any)["id"].(string))
	}
	return out
}

func (s *server) do(t testing.TB, method, path, body string, shape ...func(*http.Request)) reply {
	t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, f := range shape {
		f(req)
	}
	resp, err := s.client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	r := reply{status: resp.StatusCode, header: resp.Header, raw: string(b)}
	if resp.StatusCode != http.StatusNoContent && s.p.Answers.Format != "xml" {
		require.NoError(t, json.Unmarshal(b, &r.body), "%s", b)
	}
	return r
}

func (s *server) refund(t testing.TB, key, form string) reply {
	t.Helper()
	return s.do(t, "POST", "/v1/refunds", form, withKey(key))
}

func (s *server) get(t testing.TB, path string) reply {
	t.Helper()
	return s.do(t, "GET", path, "")
}

func withKey(key string) func(*http.Request) {
	return func(r *http.Request) {
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
	}
}

func withHeader(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

func form(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

const partial = "charge=ch_1&amount=1099"

// everyProfile are the built-in profiles, and the shapes for tests.
func everyProfile(t testing.TB) []*targets.Profile {
	t.Helper()
	var out []*targets.Profile
	for _, name := range targets.Names() {
		p, err := targets.Builtin(name)
		require.NoError(t, err)
		out = append(out, p)
	}
	return append(out, shape(t, "two-parts"), shape(t, "marked-record"))
}

// shape is a profile for tests alone.
func shape(t testing.TB, name string) *targets.Profile {
	t.Helper()
	p, err := targets.Load("testdata/" + name + ".yaml")
	require.NoError(t, err)
	return p
}

func readCloser(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
