package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retrydrill/drill/harness/worker"
)

func TestMain(m *testing.M) {
	// The children of a run are this very test binary.
	if exit, is := worker.Child(allBuiltins()); is {
		os.Exit(exit)
	}
	testscript.Main(sideBySide{m}, map[string]func(){"drill": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	workers, err := filepath.Abs("../../testdata/workers")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("WORKERS", workers)
			e.Setenv("DOCS", docs)
			e.Setenv("NO_COLOR", "")
			// Found by a script when nothing may be left behind.
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "tmp"), 0o755)
		},
		Condition: func(cond string) (bool, error) {
			if name, ok := cutPrefix(cond, "has:"); ok {
				return have(t, name), nil
			}
			return false, errors.New("unknown condition " + cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"occupy":   occupy,
			"waitfor":  waitfor,
			"empty":    empty,
			"receipts": receiptsIn,
		},
	})
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return "", false
}

// have looks for a program. In CI a missing one is no reason to skip.
func have(t *testing.T, name string) bool {
	_, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Errorf("%s is missing: .ci/run installs it", name)
	}
	return err == nil
}

// exits CODE COMMAND [ARG...] runs a command and wants this exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	defer takeTurn(args[1:])()
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ee *exec.ExitError
		if !errors.As(err, &ee) {
			ts.Check(err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// occupy VAR takes a port until the script ends and puts its number into VAR.
func occupy(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// waitfor FILE waits until a background command has made the file.
func waitfor(ts *testscript.TestScript, _ bool, args []string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	// What is waited for is a process that starts, on a machine that may be busy.
	for end := time.After(2 * time.Minute); ; {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			ts.Fatalf("%s did not appear", args[0])
		}
	}
}

// empty DIR wants a folder with nothing in it.
func empty(ts *testscript.TestScript, _ bool, args []string) {
	left, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range left {
		ts.Fatalf("%s is left behind in %s", e.Name(), args[0])
	}
}
