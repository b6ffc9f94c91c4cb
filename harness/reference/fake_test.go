package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// errDied is what a life ends with that a test takes down in the middle.
var errDied = errors.New("the worker died")

const (
	barred       = "barred"
	killedBefore = "killed before"
	killedAfter  = "killed after"
)

// drifting is the real clock, which a sleep moves on at once.
type drifting struct{ ahead atomic.Int64 }

func (c *drifting) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *drifting) Sleep(ctx context.Context, d time.Duration) error {
	c.ahead.Add(int64(d))
	return ctx.Err()
}

// trial is one state directory, one fake behind a socket, and a script of what
// happens to each create.
type trial struct {
	t        *testing.T
	fake     *fakes.Fake
	env      worker.Env
	clock    *drifting
	script   []string
	creates  int
	reports  []harness.Report
	failures []error
}

const token = "sk_test_secret"

func newTrial(t *testing.T, script ...string) *trial { return newTrialAt(t, "stripe-v1", script...) }

// newTrialAt is newTrial at the fake of any profile.
func newTrialAt(t *testing.T, profile string, script ...string) *trial {
	x := &trial{t: t, clock: &drifting{}, script: script}
	p, err := targets.Load(profile)
	require.NoError(t, err)
	x.fake, err = fakes.New(p, fakes.Options{Token: token, Now: x.clock.Now, Seed: 1})
	require.NoError(t, err)
	server := httptest.NewServer(x)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, x.fake.Close())
	})
	x.env = worker.Env{
		TargetURL: server.URL, Token: token, StateDir: t.TempDir(), Worker: 1, ClientDeadline: 5 * time.Second, Lease: 20 * time.Second,
		PolicyVersion: "1", Profile: profile, HTTP: &http.Client{Transport: x}, Clock: x.clock, Seed: 3,
	}
	return x
}

// ServeHTTP is the target's side of the script.
func (x *trial) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		switch fault := word(x.script, x.creates-1); fault {
		case card, broken, barred:
			status := map[string]int{card: 402, broken: 500, barred: 401}[fault]
			r = r.WithContext(harness.WithCrossing(r.Context(), &harness.Crossing{Inside: func(context.Context) harness.TargetDecision {
				return harness.TargetDecision{Name: "reject", Status: status}
			}}))
		case throttle:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error": {"code": "rate_limit", "type": "invalid_request_error", "message": "slow down"}}`)
			return
		}
	}
	x.fake.ServeHTTP(w, r)
}

// RoundTrip is the wire's side of the script.
func (x *trial) RoundTrip(r *http.Request) (*http.Response, error) {
	fault := ""
	if r.Method == http.MethodPost {
		x.creates++
		fault = word(x.script, x.creates-1)
	}
	switch fault {
	case torn:
		return nil, io.ErrUnexpectedEOF
	case killedBefore:
		panic(errDied)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	switch fault {
	case lost:
		resp.Body.Close()
		return nil, io.EOF
	case killedAfter:
		resp.Body.Close()
		panic(errDied)
	}
	return resp, err
}

// deliver runs one life to its end, or to its death.
func (x *trial) deliver(e Executor, j worker.Job) {
	x.t.Helper()
	run, stop, err := e.New(x.env)
	require.NoError(x.t, err)
	defer func() {
		if r := recover(); r != nil && r != any(errDied) {
			panic(r)
		}
		require.NoError(x.t, stop())
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}()
	if err := run(x.t.Context(), x.env, j, func(r harness.Report) { x.reports = append(x.reports, r) }); err != nil {
		x.failures = append(x.failures, err)
	}
}

func (x *trial) last() harness.Report {
	x.t.Helper()
	require.NotEmpty(x.t, x.reports)
	return x.reports[len(x.reports)-1]
}

func (x *trial) pastLease() { x.clock.Sleep(x.t.Context(), x.env.Lease+time.Second) }

func (x *trial) receipt(id string) receipt.Receipt {
	x.t.Helper()
	s, err := sqlite.Open(x.t.Context(), filepath.Join(x.env.StateDir, File))
	require.NoError(x.t, err)
	defer s.Close()
	r, err := s.Get(x.t.Context(), id)
	require.NoError(x.t, err)
	return r
}

func TestReferenceAtTheFake(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  []string
		creates int
		want    harness.Outcome
		effects int
	}{
		{"plain", nil, 1, harness.Done, 1},
		{"answer lost", []string{lost}, 1, harness.Done, 1},
		{"request lost", []string{torn}, 2, harness.Done, 1},
		{"throttled", []string{throttle}, 2, harness.Done, 1},
		{"failure stored", []string{broken}, 3, harness.Done, 1},
		{"rejected for good", []string{card}, 1, harness.Rejected, 0},
		{"killed before", []string{killedBefore}, 2, harness.Done, 1},
		{"killed after", []string{killedAfter}, 1, harness.Done, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrial(t, c.script...)
			x.deliver(Executors[0], job(1, action("A", 1099)))
			x.pastLease()
			x.deliver(Executors[0], job(2, action("A", 1099)))
			require.Empty(t, x.failures)
			got := x.last()
			assert.Equal(t, c.want, got.Outcome)
			effects := x.fake.Effects()
			require.Len(t, effects, c.effects)
			assert.Equal(t, c.creates, x.creates)
			if c.effects == 1 {
				assert.Equal(t, effects[0].Resource, got.Resource)
				assert.Equal(t, "A", effects[0].Reference)
			}
			r := x.receipt("A")
			assert.LessOrEqual(t, c.creates, r.Attempt, "the receipt counts every request")
		})
	}
}

func TestNoSecretIsKept(t *testing.T) {
	x := newTrial(t, lost)
	x.deliver(Executors[0], job(1, action("A", 1099)))
	files, err := os.ReadDir(x.env.StateDir)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(x.env.StateDir, f.Name()))
		require.NoError(t, err)
		assert.NotContains(t, string(b), token)
	}
}

func TestUnusableStore(t *testing.T) {
	x := newTrial(t)
	require.NoError(t, os.WriteFile(filepath.Join(x.env.StateDir, File), []byte("no database at all, and more than a page header long: "+
		"an operator put a note in its place, which is a hundred characters and more"), 0o600))
	_, _, err := Executors[0].New(x.env)
	require.ErrorIs(t, err, receipt.ErrDamaged)

	x.env.Profile = "nowhere"
	_, _, err = Executors[0].New(x.env)
	require.ErrorIs(t, err, targets.ErrNoProfile)
}

func TestRepairedAtTheFake(t *testing.T) {
	x := newTrial(t, card)
	x.deliver(Executors[0], job(1, action("A", 1099)))
	again := action("A", 1099)
	again.Approval.ID = "approval-2"
	x.deliver(Executors[0], job(2, again))
	require.Empty(t, x.failures)
	assert.Equal(t, harness.Done, x.last().Outcome)
	require.Len(t, x.fake.Effects(), 1)
	assert.Equal(t, "A:g2", x.fake.Effects()[0].Key)
}

// TestRefusalThatIsNotKept: no target here can be looked at. A refusal that is kept
// under the key needs the key's next generation; one that is not keeps the key, or a
// late copy of the refused request and the repeat would both take effect.
func TestRefusalThatIsNotKept(t *testing.T) {
	for _, profile := range []string{"acp", "adyen", "header-echo", "ietf-07"} {
		for refusal, key := range map[string]string{card: "A:g2", barred: "A"} {
			t.Run(profile+"/"+refusal, func(t *testing.T) {
				x := newTrialAt(t, profile, refusal)
				p, err := targets.Builtin(profile)
				require.NoError(t, err)
				a := action("A", 1099)
				a.BusinessKey, a.Arguments = p.DefaultAction().BusinessKey, p.DefaultAction().Arguments
				a.ArgumentsSHA256 = a.Arguments.Digest()
				a.Approval.ArgumentsSHA256 = a.ArgumentsSHA256
				x.deliver(Executors[0], job(1, a))
				require.Equal(t, harness.Rejected, x.last().Outcome)

				late := targets.NewClient(p, x.env.TargetURL, token, x.env.HTTP)
				copied := late.Create(t.Context(), targets.Write{Key: "A", ActionID: "A", BusinessKey: a.BusinessKey, Arguments: a.Arguments})
				require.Equal(t, refusal == barred, copied.Class == harness.Confirmed, "the copy meets what is kept")
				a.Approval.ID = "approval-2"
				x.deliver(Executors[0], job(2, a))
				require.Empty(t, x.failures)
				assert.Equal(t, harness.Done, x.last().Outcome)
				require.Len(t, x.fake.Effects(), 1)
				assert.Equal(t, key, x.fake.Effects()[0].Key)
			})
		}
	}
}

func mustProfile(t *testing.T) *targets.Profile {
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	return p
}
