package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
)

// publicClients are the workers of testdata/workers/go, in the order of the
// README's table.
var publicClients = []struct{ name, dir, flag string }{
	{"stripe-go v84, retries on, its own keys", "stripe-refund", ""},
	{"go-retryablehttp v0.7.8, no key", "retryablehttp", ""},
	{"go-retryablehttp v0.7.8, action ID as key", "retryablehttp", "-key"},
	{"net/http, action ID as key, warm connection", "nethttp", ""},
}

// clientFaults are the columns.
var clientFaults = []string{"create#1 response close", "create#1 response html", "create#1 target reject 402", "create#1 response kill"}

// TestPublicClients runs public Go clients as they come and holds the README's
// table of what each does. With -update it writes the table.
func TestPublicClients(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts processes")
	}
	t.Parallel()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	build.Dir = "../../testdata/workers/go"
	if out, err := build.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("workers in Go: %v\n%s", err, out)
		}
		t.Skipf("the Go workers' modules are not here: %v\n%s", err, out)
	}
	rows := make([][]string, len(publicClients))
	t.Run("each", func(t *testing.T) {
		for i, c := range publicClients {
			t.Run(c.dir+c.flag, func(t *testing.T) {
				t.Parallel()
				command := []string{filepath.Join(bin, c.dir)}
				if c.flag != "" {
					command = append(command, c.flag)
				}
				rows[i] = []string{c.name}
				for _, fault := range clientFaults {
					rows[i] = append(rows[i], did(oneTrial(t, command, fault)))
				}
			})
		}
	})
	head := []string{"client"}
	for _, f := range clientFaults {
		head = append(head, "`"+f+"`")
	}
	want := table(head, rows)
	const readme = "../../README.md"
	b, err := os.ReadFile(readme)
	require.NoError(t, err)
	begin, rest, ok := strings.Cut(string(b), clientsBegin)
	require.True(t, ok, "README.md has no %q", clientsBegin)
	got, end, ok := strings.Cut(rest, clientsEnd)
	require.True(t, ok, "README.md has no %q", clientsEnd)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(begin+clientsBegin+want+clientsEnd+end), 0o644))
		return
	}
	require.Equal(t, want, got, "README.md is behind: go test ./cmd/drill -run TestPublicClients -update")
}

const (
	clientsBegin = "<!-- begin clients: go test ./cmd/drill -run TestPublicClients -update -->\n"
	clientsEnd   = "<!-- end clients -->"
)

// oneTrial runs a command under one fault.
func oneTrial(t *testing.T, command []string, fault string) report.Trial {
	r := catalogue(t, harness.Executor{Kind: "exec", Command: command}, func(o *suite.Options) {
		f := runFlags{faults: []string{fault}}
		var err error
		o.Scenarios, err = f.scenarios(nil)
		require.NoError(t, err)
		// How often a client sends is not to depend on how busy the machine is.
		o.Limits.ClientDeadline = o.Limits.Delivery
	})
	require.Len(t, r.Trials, 1)
	return r.Trials[0]
}

// did says in a few words what a client did.
func did(tr report.Trial) string {
	effects := 0
	for _, a := range tr.Actions {
		effects += a.Effects
	}
	out := fmt.Sprintf("%s, sent %d, effects %d", tr.Verdict, mutations(tr), effects)
	var broken []string
	for _, v := range tr.Violations {
		if len(broken) == 0 || broken[len(broken)-1] != v.Invariant {
			broken = append(broken, v.Invariant)
		}
	}
	if len(broken) > 0 {
		out += ": " + strings.Join(broken, ", ")
	}
	for _, c := range tr.Caveats {
		if strings.Contains(c, "can not be told apart") || strings.Contains(c, "cannot be told apart") {
			out += "; executor or transport"
		}
	}
	return out
}

// mutations counts what reached the tap and changes something.
func mutations(tr report.Trial) (n int) {
	for _, e := range tr.History.Events {
		if e.Kind == harness.EvRequest && e.Changes && !e.Copy {
			n++
		}
	}
	return n
}
