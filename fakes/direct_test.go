package fakes

import (
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
