package sim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

func TestMain(m *testing.M) {
	// A worker that does not end after its death is left where it is: one test has one.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/retrydrill/drill/harness/sim.(*trial).abandon"))
}

// shop is a target of a few lines: whatever is no GET commits one thing, without keys.
type shop struct {
	mu      sync.Mutex
	effects []harness.Effect
	watch   func(harness.Effect)
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(`{"things":[]}`))
		return
	}
	c := harness.CrossingFrom(r.Context())
	c.AtCommit(r.Context())
	s.mu.Lock()
	e := harness.Effect{Seq: len(s.effects) + 1, Resource: "thing", Op: "create", Kind: harness.Do, Attempt: c.Attempt, Copy: c.Copy}
	s.effects = append(s.effects, e)
	s.mu.Unlock()
	s.watch(e)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(`{"id":"thing"}`))
}

func (s *shop) target() *tap.Target {
	return &tap.Target{Handler: s, Namer: shopNamer{}, Promises: harness.Promises{Profile: "shop"},
		Effects: func() []harness.Effect { s.mu.Lock(); defer s.mu.Unlock(); return s.effects },
		Watch:   func(f func(harness.Effect)) { s.watch = f }, Close: func() error { return nil }}
}

type shopNamer struct{}

func (shopNamer) Name(r harness.RawRequest) *harness.Named {
	if r.Method == http.MethodGet {
		return &harness.Named{Op: harness.FindOp}
	}
	return &harness.Named{Op: harness.CreateOp, Changes: true, Key: http.Header(r.Header).Get("Idempotency-Key"), BusinessKey: "shelf"}
}

func (shopNamer) Answer(_ string, a harness.RawAnswer) *harness.Answered {
	var v struct{ ID, Error string }
	err := json.Unmarshal(a.Body, &v)
	return &harness.Answered{Code: v.Error, Resource: v.ID, Opaque: err != nil}
}

func (shopNamer) Error(status int, code string) harness.RawAnswer {
	return harness.RawAnswer{Status: status, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(`{"error":"` + code + `"}`)}
}

func (shopNamer) Digest(a harness.Arguments) string           { return a.Digest() }
func (shopNamer) Digests(harness.Arguments) map[string]string { return nil }

func shopOf(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) { return (&shop{}).target(), nil }

// schedule is one with the given lines, for an executor of that name.
func schedule(t testing.TB, world, name string, lines ...string) harness.Schedule {
	t.Helper()
	s := harness.Schedule{Version: harness.ScheduleVersion, Seed: 7, World: world, Profile: "shop",
		Executor: harness.Executor{Kind: "builtin", Name: name}, Limits: harness.DefaultLimits()}
	for _, n := range []string{"A", "B"} {
		args := harness.Arguments{"shelf": "shelf", "thing": n}
		s.Actions = append(s.Actions, harness.Action{Name: n, ID: "act-" + n, TriggerKey: "trig-" + n, BusinessKey: "shelf", Effect: "thing",
			Arguments: args, Approval: harness.Approval{ID: "ok-" + n, ArgumentsSHA256: args.Digest(),
				PolicyVersion: "1", Status: harness.Granted, ValidUntil: "2099-01-01T00:00:00Z", SingleUse: true}})
	}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

func always(f worker.Func) worker.New {
	return func(worker.Env) (worker.Func, func() error, error) { return f, func() error { return nil }, nil }
}

// run carries out one trial of an executor in the sim.
func run(t *testing.T, f worker.Func, lines ...string) *harness.History {
	t.Helper()
	h, err := tryRun(t, f, lines...)
	require.NoError(t, err)
	return h
}

func tryRun(t *testing.T, f worker.Func, lines ...string) (*harness.History, error) {
	t.Helper()
	w := sim.New(sim.Options{Target: shopOf, Builtins: map[string]worker.New{"it": always(f)}})
	defer func() { require.NoError(t, w.Close()) }()
	return w.Run(t.Context(), schedule(t, "sim", "it", lines...))
}

func events(h *harness.History, k harness.EventKind) (out []harness.Event) {
	for _, e := range h.Events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

func kinds(h *harness.History) (out []string) {
	for _, e := range h.Events {
		out = append(out, e.Kind.String()+" "+e.Note)
	}
	return out
}

func done(job worker.Job, report func(harness.Report)) error {
	report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
	return nil
}
