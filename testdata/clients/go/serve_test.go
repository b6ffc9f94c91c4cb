// Package clients holds public SDKs, as they come, against the fakes that drill
// serves: what a real client sends is understood, and what it gets is what it reads.
package clients

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

const token = "sk_test_clients"

// built is the drill command, made once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "drill-clients")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "drill")
	build := exec.Command("go", "build", "-o", bin, "./cmd/drill")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", &buildError{string(out), err}
	}
	return bin, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// fake is a served profile.
type fake struct {
	url string
	// effects ends the fake and returns how many effects it committed.
	effects func() int
}

// The first line names the target, and then the control API.
var served = regexp.MustCompile(`^\S+ at (http://\S+)`)

var stopped = regexp.MustCompile(`stopped after (\d+) effects`)

// serve runs drill serve on a free port until the test ends.
func serve(t *testing.T, profile string) fake {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	var talk bytes.Buffer
	cmd := exec.Command(bin, "serve", profile, "--token", token)
	cmd.Stderr = &talk
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(func() int {
		_ = cmd.Process.Signal(syscall.SIGINT)
		late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
		m := stopped.FindStringSubmatch(talk.String())
		if m == nil {
			t.Errorf("drill serve did not say how many effects there were:\n%s", talk.String())
			return -1
		}
		n, _ := strconv.Atoi(m[1])
		return n
	})
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	m := served.FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("drill serve said %q: %v", line, err)
	}
	return fake{m[1], func() int { t.Helper(); return stop() }}
}

// need looks for a program. In CI a missing one is no reason to skip.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is missing: .ci/run installs it")
	}
	return path
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}
