package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes/control"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
)

// served is a drill serve that runs.
type served struct {
	fake, control, line string
	// stop ends it and returns what it printed as talk.
	stop func() string
}

// lines is a writer for two that write at once.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serving(t *testing.T, args ...string) served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	talk := &lines{}
	c := root()
	c.SetArgs(append([]string{"serve", "stripe-v1"}, args...))
	c.SetOut(w)
	c.SetErr(talk)
	done := make(chan error, 1)
	go func() {
		err := c.ExecuteContext(ctx)
		// Who waits for the first line hears that there will be none.
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
		done <- err
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err, talk)
	s := served{line: line, stop: sync.OnceValue(func() string {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		require.NoError(t, <-done)
		return talk.String()
	})}
	t.Cleanup(func() { s.stop() })
	if words := strings.Fields(line); len(words) == 6 {
		s.fake, s.control = words[2], words[5]
	}
	return s
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
	return fetch(t, req)
}

func fetch(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

func get(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	status, body := fetch(t, req)
	require.Equal(t, http.StatusOK, status, body)
	return body
}

func TestServe(t *testing.T) {
	s := serving(t)
	require.Regexp(t, `^stripe-v1 at http://127\.0\.0\.1:\d+ control at http://127\.0\.0\.1:\d+\n$`, s.line)
	require.Contains(t, get(t, s.control+"/healthz"), `"ok"`)
	status, _ := refund(t, s.fake, "")
	require.Equal(t, http.StatusUnauthorized, status)
	status, first := refund(t, s.fake, "sk_test_drill")
	require.Equal(t, http.StatusOK, status, first)
	require.Contains(t, get(t, s.control+"/v1/ledger"), `"seq": 1`)
	talk := s.stop()
	require.Contains(t, talk, "effect 1: do re_")
	require.Contains(t, talk, "stopped after 1 effects")
	require.NotContains(t, talk, "warning")

	// The flags: another token, another seed, settings, another host, another form.
	s = serving(t, "--token", "other", "--seed", "2", "--set", "foreign-object=true", "--set", "stale-read=20ms")
	status, _ = refund(t, s.fake, "sk_test_drill")
	require.Equal(t, http.StatusUnauthorized, status)
	status, second := refund(t, s.fake, "other")
	require.Equal(t, http.StatusOK, status)
	settings := get(t, s.control+"/v1/settings")
	require.Contains(t, settings, `"foreign_object": true`)
	require.Contains(t, settings, `"stale_read": "20ms"`, "one beside the other")
	s.stop()

	s = serving(t, "--token", "", "--host", "0.0.0.0", "--format", "json")
	var told struct {
		Profile, URL, Token string
		ControlURL          string `json:"control_url"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.line), &told))
	require.Equal(t, "stripe-v1", told.Profile)
	require.Empty(t, told.Token)
	status, again := refund(t, told.URL, "")
	require.Equal(t, http.StatusOK, status)
	get(t, told.ControlURL+"/healthz")
	require.Contains(t, s.stop(), "warning: 0.0.0.0 is reached from other machines")
	id := func(body string) string {
		_, rest, _ := strings.Cut(body, `"id"`)
		return rest[:min(len(rest), 32)]
	}
	require.Equal(t, id(first), id(again), "one seed, the same IDs")
	require.NotEqual(t, id(first), id(second))
}

// TestServePage runs every example of docs/serve.md against one served fake: curl,
// Python and Node, as they stand there.
func TestServePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/serve.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```(sh|python|js)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 3)
	for _, m := range found {
		program := map[string][]string{"sh": {"bash", "-euo", "pipefail"}, "python": {"python3"}, "js": {"node"}}[m[1]]
		t.Run(program[0], func(t *testing.T) {
			for _, need := range []string{program[0], "curl"} {
				if !have(t, need) {
					t.Skipf("%s is missing", need)
				}
			}
			s := serving(t)
			file := filepath.Join(t.TempDir(), map[string]string{"sh": "example.sh", "python": "example.py", "js": "example.mjs"}[m[1]])
			require.NoError(t, os.WriteFile(file, []byte(m[2]), 0o600))
			cmd := exec.CommandContext(t.Context(), program[0], append(program[1:], file)...)
			cmd.Env = append(os.Environ(), "FAKE="+s.fake, "CONTROL="+s.control, "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "one refund, and its answer was lost once", "%s", out)
			require.Contains(t, get(t, s.control+"/v1/ledger"), `"seq": 1`, "it did ask")
		})
	}
}

// servedTable is what can be armed, as docs/serve.md lists it.
func servedTable() string {
	var rows [][]string
	for _, side := range []harness.Side{harness.Request, harness.Target, harness.Response} {
		var words []string
		for _, k := range harness.Vocabulary {
			if k.Side == side && slices.Contains(wire.Served(), k.Key()) {
				words = append(words, "`"+strings.TrimSpace(k.Name+" "+k.Params.Form())+"`")
			}
		}
		rows = append(rows, []string{"`OP#N " + string(side) + "`", strings.Join(words, ", ")})
	}
	return table([]string{"where", "what"}, rows)
}

// controlTable is the API as docs/serve.md lists it.
func controlTable() string {
	var rows [][]string
	for _, r := range control.Routes {
		rows = append(rows, []string{"`" + r.Method + " " + r.Path + "`", r.Doc})
	}
	return table([]string{"", ""}, rows)
}
