package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowd starts workers as processes on one state directory and one fake.
type crowd struct {
	t   *testing.T
	env []string
}

func newCrowd(t *testing.T, target, dir string, lease time.Duration) crowd {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return crowd{t, append(os.Environ(),
		worker.EnvTargetURL+"="+target, worker.EnvTargetToken+"="+token, worker.EnvStateDir+"="+dir,
		worker.EnvClientDeadline+"="+ms(5*time.Second), worker.EnvLease+"="+ms(lease), worker.EnvPolicyVersion+"=1",
		worker.EnvProfile+"=stripe-v1", worker.EnvBuiltin+"=reference", worker.EnvSeed+"=1")}
}

// start hands a job to a new process.
func (c crowd) start(slot int, j worker.Job) (*exec.Cmd, *bytes.Buffer) {
	c.t.Helper()
	in, err := json.Marshal(j)
	require.NoError(c.t, err)
	cmd := exec.Command(os.Args[0])
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), &out
	cmd.Env = append(c.env, fmt.Sprintf("%s=%d", worker.EnvWorker, slot))
	require.NoError(c.t, cmd.Start())
	return cmd, &out
}

// TestCrowd lets processes work on the same actions and kills most of them at some
// request. In the end each action has one effect, and every report says so.
func TestCrowd(t *testing.T) {
	fake, err := fakes.New(mustProfile(t), fakes.Options{Token: token, Seed: 1})
	require.NoError(t, err)
	defer fake.Close()

	var mu sync.Mutex
	var victims []*exec.Cmd
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := requests.Add(1); n%3 == 1 {
			kill(&mu, &victims)
		}
		fake.ServeHTTP(w, r)
		if n := requests.Load(); n%5 == 2 {
			kill(&mu, &victims)
		}
	}))
	defer server.Close()

	const workers, actions = 8, 6
	c := newCrowd(t, server.URL, t.TempDir(), 200*time.Millisecond)
	j := job(1)
	for i := range actions {
		j.Actions = append(j.Actions, action(fmt.Sprintf("A%d", i), 1000+i))
	}
	var all []*exec.Cmd
	for slot := range workers {
		cmd, _ := c.start(slot+1, j)
		all = append(all, cmd)
		if slot > 0 {
			mu.Lock()
			victims = append(victims, cmd)
			mu.Unlock()
		}
	}
	for _, cmd := range all {
		_ = cmd.Wait()
	}
	for n := 2; ; n++ {
		require.Less(t, n, 200, "the actions are never settled")
		j.Delivery = n
		cmd, out := c.start(1, j)
		require.NoError(t, cmd.Wait(), out.String())
		if reports := read(t, out); allDone(reports) {
			byID := map[string]string{}
			for _, e := range fake.Effects() {
				assert.Empty(t, byID[e.Reference], "%s has a second effect", e.Reference)
				byID[e.Reference] = e.Resource
			}
			require.Len(t, reports, actions)
			for _, r := range reports {
				assert.Equal(t, byID[r.ActionID], r.Resource)
			}
			return
		}
	}
}

func kill(mu *sync.Mutex, victims *[]*exec.Cmd) {
	mu.Lock()
	defer mu.Unlock()
	if len(*victims) > 0 {
		_ = (*victims)[0].Process.Kill()
		*victims = (*victims)[1:]
	}
}

func read(t *testing.T, out *bytes.Buffer) (all []harness.Report) {
	t.Helper()
	for d := json.NewDecoder(out); d.More(); {
		var r harness.Report
		require.NoError(t, d.Decode(&r))
		all = append(all, r)
	}
	return all
}

func allDone(reports []harness.Report) bool {
	for _, r := range reports {
		if r.Outcome != harness.Done {
			return false
		}
	}
	return true
}
