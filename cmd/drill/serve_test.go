package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// serving runs drill serve until stop is called, which returns what it printed as
// talk.
func serving(t *testing.T, args ...string) (base string, stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var talk strings.Builder
	c := root()
	c.SetArgs(append([]string{"serve", "stripe-v1"}, args...))
	c.SetOut(w)
	c.SetErr(&talk)
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(ctx) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	_, base, ok := strings.Cut(strings.TrimSpace(line), " at ")
	require.True(t, ok, line)
	return base, func() string {
		cancel()
		require.NoError(t, <-done)
		http.DefaultClient.CloseIdleConnections()
		return talk.String()
	}
}

func refund(t *testing.T, base, token string) (int, string) {
	t.Helper()
	form := url.Values{"charge": {"ch_1"}, "amount": {"5"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/refunds", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

func TestServe(t *testing.T) {
	base, stop := serving(t)
	resp, err := http.Get(base + "/healthz")
	require.NoError(t, err)
	_ = resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	status, _ := refund(t, base, "")
	require.Equal(t, http.StatusUnauthorized, status)
	status, first := refund(t, base, "sk_test_drill")
	require.Equal(t, http.StatusOK, status, first)
	talk := stop()
	require.Contains(t, talk, "effect 1: do re_")
	require.Contains(t, talk, "stopped after 1 effects")

	// The flags: another token, another seed.
	base, stop = serving(t, "--token", "other", "--seed", "2")
	status, _ = refund(t, base, "sk_test_drill")
	require.Equal(t, http.StatusUnauthorized, status)
	status, second := refund(t, base, "other")
	require.Equal(t, http.StatusOK, status)
	require.NotEqual(t, first, second)
	stop()
	base, stop = serving(t, "--token", "")
	status, again := refund(t, base, "")
	require.Equal(t, http.StatusOK, status)
	stop()
	id := func(body string) string {
		_, rest, _ := strings.Cut(body, `"id"`)
		return rest[:min(len(rest), 32)]
	}
	require.Equal(t, id(first), id(again), "one seed, the same IDs")
	require.NotEqual(t, id(first), id(second))
}
