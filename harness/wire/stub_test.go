package wire_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

func TestMain(m *testing.M) {
	if exit, is := worker.Child(builtins); is {
		os.Exit(exit)
	}
	if behaviour, is := os.LookupEnv(envStub); is {
		serveStub(behaviour)
		return
	}
	goleak.VerifyTestMain(m)
}

// shop is a target of a few lines: POST /things commits one thing, without keys.
type shop struct {
	mu      sync.Mutex
	effects []harness.Effect
	watch   func(harness.Effect)
	// tell hears of each thing; it is nil until somebody does.
	tell func(harness.Notice)
	// committed is called once a thing is made and on record; it may be nil.
	committed func()
	// seen holds the bodies that arrived.
	seen []string
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen = append(s.seen, string(body))
	s.mu.Unlock()
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(`{"things":[]}`))
		return
	}
	c := harness.CrossingFrom(r.Context())
	d := c.AtCommit(r.Context())
	if d.Name == "reject" {
		w.WriteHeader(d.Status)
		_, _ = w.Write([]byte(`{"error":"refused"}`))
		d.Fired()
		return
	}
	s.mu.Lock()
	e := harness.Effect{Seq: len(s.effects) + 1, Resource: "thing", Op: "create", Kind: harness.Do, Attempt: c.Attempt, Copy: c.Copy}
	s.effects = append(s.effects, e)
	s.mu.Unlock()
	s.watch(e)
	if s.committed != nil {
		s.committed()
	}
	if s.tell != nil {
		s.tell(harness.Notice{ID: fmt.Sprintf("evt_%d", e.Seq), Type: "thing.created", Op: "create", Resource: "thing_1", BusinessKey: "shelf",
			Reference: "act-A", Attempt: c.Attempt})
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/v1/refunds" {
		w.WriteHeader(http.StatusOK)
	} else {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = w.Write([]byte(`{"id":"thing"}`))
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.effects)
}

func newShop() *shop { return &shop{} }

func (s *shop) target() *tap.Target {
	return &tap.Target{Handler: s, Namer: shopNamer{}, Promises: harness.Promises{Profile: "shop"},
		Effects: func() []harness.Effect { s.mu.Lock(); defer s.mu.Unlock(); return s.effects },
		Watch:   func(f func(harness.Effect)) { s.watch = f },
		Tell:    func(f func(harness.Notice)) { s.tell = f }, Close: func() error { return nil }}
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

func (shopNamer) Digest(a harness.Arguments) string { return a.Digest() }

func (shopNamer) Digests(harness.Arguments) map[string]string { return nil }

// rig is a world with shops and Go functions.
type rig struct {
	*wire.World
	t     *testing.T
	mu    sync.Mutex
	shops []*shop
	// committed is each shop's.
	committed func()
}

// builtins are started as children of the test binary where a schedule kills.
var builtins = map[string]worker.New{}

func newRig(t *testing.T, funcs map[string]worker.Func) *rig {
	t.Helper()
	r := &rig{t: t}
	news := map[string]worker.New{}
	for name, f := range funcs {
		news[name] = func(worker.Env) (worker.Func, func() error, error) { return f, func() error { return nil }, nil }
	}
	var err error
	r.World, err = wire.New(wire.Options{Funcs: news, Builtins: builtins, Dir: t.TempDir(),
		Target: func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
			s := newShop()
			s.committed = r.committed
			r.mu.Lock()
			r.shops = append(r.shops, s)
			r.mu.Unlock()
			return s.target(), nil
		}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.World.Close()) })
	return r
}

func (r *rig) run(s harness.Schedule) (*harness.History, *shop) {
	r.t.Helper()
	h, err := r.Run(r.t.Context(), s)
	require.NoError(r.t, err)
	return h, r.shops[len(r.shops)-1]
}

// schedule is one with the given lines, for the named Go function.
func schedule(t testing.TB, kind, name string, lines ...string) harness.Schedule {
	t.Helper()
	s := harness.Schedule{Version: harness.ScheduleVersion, Seed: 7, World: "wire", Profile: "shop",
		Executor: harness.Executor{Kind: kind, Name: name}, Limits: harness.DefaultLimits()}
	// A worker is a process that starts, on a machine that may be busy: no test but those
	// that say so is about this bound.
	s.Limits.Delivery = harness.Duration(patience)
	for _, n := range []string{"A", "B"} {
		args := harness.Arguments{"shelf": "shelf", "thing": n}
		s.Actions = append(s.Actions, harness.Action{Name: n, ID: "act-" + n, TriggerKey: "trig-" + n, BusinessKey: "shelf", Effect: "thing",
			Arguments: args, Changed: map[string]any{"/thing": "other"}, Approval: harness.Approval{ID: "ok-" + n, ArgumentsSHA256: args.Digest(),
				PolicyVersion: "1", Status: harness.Granted, ValidUntil: "2099-01-01T00:00:00Z", SingleUse: true}})
	}
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		s.Faults = append(s.Faults, f)
	}
	return s
}

func fired(t *testing.T, h *harness.History) {
	t.Helper()
	for _, f := range h.FaultsFired() {
		require.True(t, f.Fired, "%s did not fire: %s", f.Fault, kinds(h))
	}
}

func kinds(h *harness.History) (out []string) {
	for _, e := range h.Events {
		s := e.Kind.String()
		if e.Note != "" {
			s += "(" + e.Note + ")"
		}
		out = append(out, s)
	}
	return out
}

func events(h *harness.History, k harness.EventKind) (out []harness.Event) {
	for _, e := range h.Events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}
