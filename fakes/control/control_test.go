package control_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/fakes/control"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a served fake of Stripe's refunds with its control API.
type rig struct {
	*testing.T
	fake, api string
}

func serve(t *testing.T) *rig {
	t.Helper()
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	stand, err := wire.OpenStand(wire.StandOptions{Listen: "127.0.0.1:0", Schedule: harness.Schedule{Profile: p.Name, Seed: 1, Limits: harness.DefaultLimits()},
		Target: func(s *harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
			f, err := fakes.New(p, fakes.Options{Seed: s.Seed, Settings: s.Settings, Limits: s.Limits, Action: p.DefaultAction()})
			if err != nil {
				return nil, err
			}
			return &tap.Target{Handler: f, Namer: p.Namer(), Promises: p.Promises(), Effects: f.Effects, Watch: f.Watch, Close: f.Close}, nil
		}})
	require.NoError(t, err)
	api := httptest.NewServer(control.New(stand, control.Options{Served: wire.Served(), Loopback: true,
		Operations: []string{"create", "find", "get", harness.AnyOp, harness.MutateOp}}))
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		api.Close()
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		require.NoError(t, stand.Close(ctx))
	})
	return &rig{T: t, fake: stand.URL(), api: api.URL}
}

// call asks the API and returns status and body.
func (r *rig) call(method, path, body string, header ...string) (int, string) {
	r.Helper()
	q, err := http.NewRequestWithContext(r.Context(), method, r.api+path, strings.NewReader(body))
	require.NoError(r, err)
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			q.Host = header[i+1]
			continue
		}
		q.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(q)
	require.NoError(r, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(r, err)
	return resp.StatusCode, string(b)
}

// get wants a 200 and reads its JSON into v.
func (r *rig) get(path string, v any) {
	r.Helper()
	status, body := r.call("GET", path, "")
	require.Equal(r, http.StatusOK, status, body)
	require.NoError(r, json.Unmarshal([]byte(body), v), body)
}

// refund sends one under a key; an error is the connection's.
func (r *rig) refund(key string) (int, error) {
	form := url.Values{"charge": {"ch_1"}, "amount": {"5"}}
	q, err := http.NewRequestWithContext(r.Context(), http.MethodPost, r.fake+"/v1/refunds", strings.NewReader(form.Encode()))
	require.NoError(r, err)
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Idempotency-Key", key)
	// A request that may not be re-sent by the transport: what is lost is lost.
	q.GetBody = nil
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

type armed struct {
	AllFired bool `json:"all_fired"`
	Faults   []struct {
		ID       int       `json:"id"`
		Fault    string    `json:"fault"`
		State    tap.State `json:"state"`
		Attempts []int     `json:"attempts"`
	} `json:"faults"`
}

// TestALostAnswer is what the API is for: an answer is lost after the commit, the
// repeat replays, and the ledger has one effect.
func TestALostAnswer(t *testing.T) {
	r := serve(t)
	status, body := r.call("POST", "/v1/faults", `{"faults": ["create#1 response reset"]}`)
	require.Equal(t, http.StatusCreated, status, body)
	_, err := r.refund("k")
	require.Error(t, err)
	status, err = r.refund("k")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)

	var a armed
	r.get("/v1/faults?wait=5s", &a)
	require.True(t, a.AllFired)
	require.Equal(t, []int{1}, a.Faults[0].Attempts)
	require.Equal(t, "create#1 response reset", a.Faults[0].Fault)

	var ledger struct {
		Profile string
		Effects []harness.Effect
	}
	r.get("/v1/ledger", &ledger)
	require.Equal(t, "stripe-v1", ledger.Profile)
	require.Len(t, ledger.Effects, 1)
	require.Equal(t, "k", ledger.Effects[0].Key)

	var list struct{ Attempts []control.Attempt }
	r.get("/v1/attempts", &list)
	require.Len(t, list.Attempts, 2)
	first, second := list.Attempts[0], list.Attempts[1]
	require.Equal(t, []any{1, "create", 1, "k", true, 0, http.StatusOK, []int{1}, []string{"create#1 response reset"}},
		[]any{first.Attempt, first.Op, first.N, first.Key, first.Lost, first.Status, first.TargetStatus, first.Effects, first.Faults})
	require.Equal(t, []any{2, 2, http.StatusOK, false}, []any{second.Attempt, second.N, second.Status, second.Lost})
	require.Empty(t, second.Effects)
	r.get("/v1/attempts?after=1", &list)
	require.Len(t, list.Attempts, 1)

	var history struct{ Events []harness.Event }
	r.get("/v1/history", &history)
	n := len(history.Events)
	require.Equal(t, harness.EvRequest, history.Events[0].Kind)
	r.get("/v1/history?after=2", &history)
	require.Len(t, history.Events, n-2)
	r.get("/v1/history?after=999", &history)
	require.Empty(t, history.Events)
}

// TestForAPerson: the ledger as a table, as text and as a page in which nothing of a
// request is markup or moves a terminal's cursor.
func TestForAPerson(t *testing.T) {
	r := serve(t)
	_, err := r.refund("<b>k</b>")
	require.NoError(t, err)
	_, text := r.call("GET", "/v1/ledger", "", "Accept", "text/plain")
	require.Contains(t, text, "stripe-v1: 1 effects\neffect")
	require.Regexp(t, `1 +\S+ +do +re_\w+ +create +ch_1 +<b>k</b> +1`, text)
	_, page := r.call("GET", "/v1/ledger", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	require.Contains(t, page, "<td>&lt;b&gt;k&lt;/b&gt;</td>")
	for _, accept := range []string{"*/*", "application/json", "text/plain;q=0.1, application/json", "nonsense", ""} {
		_, body := r.call("GET", "/v1/ledger", "", "Accept", accept)
		require.True(t, json.Valid([]byte(body)), accept)
	}
	_, text = r.call("GET", "/v1/attempts", "", "Accept", "text/plain")
	require.Contains(t, text, "create#1")
	_, text = r.call("GET", "/", "")
	for _, route := range control.Routes {
		require.Contains(t, text, route.Doc)
	}
}

// TestWaiting: a poll ends as the fault fires, or with its time, and says which.
func TestWaiting(t *testing.T) {
	r := serve(t)
	var a armed
	r.get("/v1/faults?wait=5s", &a)
	require.False(t, a.AllFired, "nothing armed is nothing proven")
	_, _ = r.call("POST", "/v1/faults", `{"faults": ["create#1 response html", "create#2 response html"]}`)
	r.get("/v1/faults?wait=10ms", &a)
	require.False(t, a.AllFired)
	require.Equal(t, tap.Waiting, a.Faults[0].State)
	done := make(chan armed)
	go func() {
		var one armed
		r.get("/v1/faults?wait=20s&id=1", &one)
		done <- one
	}()
	status, err := r.refund("k1")
	require.NoError(t, err)
	require.Equal(t, http.StatusBadGateway, status)
	one := <-done
	require.True(t, one.AllFired)
	require.Len(t, one.Faults, 1)
	r.get("/v1/faults", &a)
	require.False(t, a.AllFired)
	status, _ = r.call("DELETE", "/v1/faults/2", "")
	require.Equal(t, http.StatusNoContent, status)
	r.get("/v1/faults", &a)
	require.True(t, a.AllFired)
	status, _ = r.call("DELETE", "/v1/faults", "")
	require.Equal(t, http.StatusNoContent, status)
	r.get("/v1/faults", &a)
	require.Empty(t, a.Faults)
}

// TestInFlight holds the first create between claim and commit, and wants Stripe's
// answer to the same key meanwhile.
func TestInFlight(t *testing.T) {
	r := serve(t)
	status, body := r.call("POST", "/v1/faults", `{"faults": ["create#1 target hold until create#2 response or 10s"]}`)
	require.Equal(t, http.StatusCreated, status, body)
	first := make(chan int)
	go func() {
		status, _ := r.refund("k")
		first <- status
	}()
	var a armed
	r.get("/v1/faults?wait=20s&until=holding", &a)
	require.Equal(t, tap.Holding, a.Faults[0].State)
	require.False(t, a.AllFired)
	status, err := r.refund("k")
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, http.StatusOK, <-first)
	_, body = r.call("GET", "/v1/faults", "")
	require.Contains(t, body, `"note": "met"`)
}

func TestResetAndSettings(t *testing.T) {
	r := serve(t)
	ids := map[string]bool{}
	for _, body := range []string{"", `{"seed": 2}`, `{"seed": 1}`} {
		status, answer := r.call("POST", "/v1/reset", body)
		require.Equal(t, http.StatusOK, status, answer)
		_, err := r.refund("k")
		require.NoError(t, err)
		var ledger struct{ Effects []harness.Effect }
		r.get("/v1/ledger", &ledger)
		require.Len(t, ledger.Effects, 1, "the ledger begins anew, and keys are forgotten")
		ids[ledger.Effects[0].Resource] = true
	}
	require.Len(t, ids, 2, "one seed, one ID")

	status, answer := r.call("PUT", "/v1/settings", `{"foreign_object": true, "forget_after": "1h"}`)
	require.Equal(t, http.StatusOK, status, answer)
	var settings harness.Settings
	r.get("/v1/settings", &settings)
	require.True(t, settings.ForeignObject)
	_, text := r.call("GET", "/v1/ledger", "", "Accept", "text/plain")
	require.Contains(t, text, "a stranger's")
	_, _ = r.call("POST", "/v1/reset", "")
	r.get("/v1/settings", &settings)
	require.True(t, settings.ForeignObject, "a plain reset keeps them")
	_, _ = r.call("POST", "/v1/reset", `{"settings": {}}`)
	var none harness.Settings
	r.get("/v1/settings", &none)
	require.Zero(t, none)
}

// TestRefusals: one clear sentence for each mistake, and nothing happens.
func TestRefusals(t *testing.T) {
	r := serve(t)
	_, _ = r.call("POST", "/v1/faults", `{"faults": ["create#5 response reset"]}`)
	_, err := r.refund("k")
	require.NoError(t, err)
	for _, c := range []struct {
		method, path, body string
		status             int
		sentence           string
	}{
		{"POST", "/v1/faults", "", 400, "the body holds no fault"},
		{"POST", "/v1/faults", "nonsense", 400, "no JSON: at byte 2"},
		{"POST", "/v1/faults", `{"faults": [`, 400, "no JSON: it ends too early"},
		{"POST", "/v1/faults", `{"faults": []} {}`, 400, "something follows"},
		{"POST", "/v1/faults", `{"faults": "create#1 response reset"}`, 400, "faults: expected a list, got a JSON string"},
		{"POST", "/v1/faults", `{"fault": "x"}`, 400, `unknown field \"fault\": expected faults`},
		{"POST", "/v1/faults", `{"faults": ["` + strings.Repeat("x", control.MaxBody) + `"]}`, 413, "longer than 65536 bytes"},
		{"POST", "/v1/faults", `{"faults": ["create#1 response explode"]}`, 422, "is no fault at create#1 response"},
		{"POST", "/v1/faults", `{"faults": ["creat#1 response reset"]}`, 422, "stripe-v1 has no operation creat: expected create, find, get, any, mutate"},
		{"POST", "/v1/faults", `{"faults": ["create#1 target hold until crate#1"]}`, 422, "has no operation crate"},
		{"POST", "/v1/faults", `{"faults": ["create#1 response kill"]}`, 422, "needs a worker that drill owns"},
		{"POST", "/v1/faults", `{"faults": ["deliver#1 times 2"]}`, 422, "deliver is no boundary of a served target"},
		{"POST", "/v1/faults", `{"faults": ["create#1 response close"]}`, 409, "a link armed for RST"},
		{"GET", "/v1/faults?wait=1h", "", 400, "expected a duration up to 30s"},
		{"GET", "/v1/faults?wait=-1s", "", 400, "expected a duration"},
		{"GET", "/v1/faults?wait=1s&until=struck", "", 400, "expected holding or fired"},
		{"GET", "/v1/faults?until=held", "", 400, "expected holding or fired"},
		{"GET", "/v1/faults?id=x", "", 400, "expected a whole number from 1"},
		{"GET", "/v1/faults?id=99", "", 404, "no line 99 is armed"},
		{"DELETE", "/v1/faults/99", "", 404, "no line 99 is armed"},
		{"DELETE", "/v1/faults/x", "", 400, "expected a whole number from 1"},
		{"GET", "/v1/attempts?after=-1", "", 400, "expected a whole number from 0"},
		{"GET", "/v1/history?after=x", "", 400, "expected a whole number from 0"},
		{"POST", "/v1/reset", `{"seed": -1}`, 400, "seed: expected a whole number from 0, got a JSON number -1"},
		{"POST", "/v1/reset", `{"sed": 1}`, 400, `unknown field \"sed\": expected seed, settings, settings.forget_key`},
		{"POST", "/v1/reset", `{"settings": {"lookup": "never"}}`, 422, "settings: lookup is"},
		{"PUT", "/v1/settings", "", 400, "the body holds no settings"},
		{"PUT", "/v1/settings", `{"forget-key": true}`, 400, `unknown field \"forget-key\": expected forget_key`},
		{"PUT", "/v1/settings", `{"key_mode": "never"}`, 422, "settings: key-mode is"},
		{"PUT", "/v1/settings", `{"stale_read": "soon"}`, 400, "is no duration"},
		{"GET", "/v2/ledger", "", 404, "there is no /v2/ledger here"},
		{"PATCH", "/v1/settings", "", 405, "expected GET or PUT"},
	} {
		status, body := r.call(c.method, c.path, c.body)
		require.Equal(t, c.status, status, "%s %s %.80s: %s", c.method, c.path, c.body, body)
		require.Contains(t, body, c.sentence, "%s %s", c.method, c.path)
		require.True(t, json.Valid([]byte(body)))
	}
	_, body := r.call("POST", "/v1/faults", `{"faults": ["create#1 response explode"]}`)
	var refused struct {
		Column   int
		Expected []string
	}
	require.NoError(t, json.Unmarshal([]byte(body), &refused))
	require.Equal(t, 19, refused.Column)
	require.Len(t, refused.Expected, len(wire.Served()))
	require.Contains(t, refused.Expected, "OP#N response truncate [head] N")
	require.Contains(t, refused.Expected, "OP#N request cut N")

	var a armed
	r.get("/v1/faults", &a)
	require.Len(t, a.Faults, 1)
	var ledger struct{ Effects []harness.Effect }
	r.get("/v1/ledger", &ledger)
	require.Len(t, ledger.Effects, 1)
}

// TestPagesOfOthers: a browser's page of another origin, or one that had its name
// point here, changes and reads nothing.
func TestPagesOfOthers(t *testing.T) {
	r := serve(t)
	status, body := r.call("POST", "/v1/reset", "", "Origin", "https://example.com", "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, body, "another origin")
	status, body = r.call("GET", "/v1/ledger", "", "Host", "example.com")
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, body, "example.com")
	status, _ = r.call("GET", "/v1/ledger", "", "Host", "localhost:1234")
	require.Equal(t, http.StatusOK, status)
}

// FuzzBody: no body crashes the API, and what is refused arms nothing.
func FuzzBody(f *testing.F) {
	for _, s := range []string{`{"faults": ["create#1 response reset"]}`, `{"seed": 1, "settings": {"async": {"after": "1s"}}}`, `[]`, `{"faults": [null]}`, "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s := &still{}
		api := control.New(s, control.Options{Served: wire.Served(), Operations: []string{"create"}})
		for _, route := range []string{"POST /v1/faults", "POST /v1/reset", "PUT /v1/settings"} {
			method, path, _ := strings.Cut(route, " ")
			s.armed, s.resets = 0, 0
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
			require.True(t, json.Valid(w.Body.Bytes()), w.Body)
			if w.Code >= 300 {
				require.Zero(t, s.armed+s.resets, "%s %q", route, body)
			}
			require.Less(t, w.Code, 500)
		}
	})
}

// still is a stand that only counts.
type still struct{ armed, resets int }

func (s *still) Schedule() harness.Schedule                        { return harness.Schedule{Profile: "still"} }
func (s *still) Reset(harness.Schedule) error                      { s.resets++; return nil }
func (s *still) Effects() []harness.Effect                         { return nil }
func (s *still) Events() []harness.Event                           { return nil }
func (s *still) Armed() []tap.Armed                                { return nil }
func (s *still) Await(context.Context, int, tap.State) []tap.Armed { return nil }
func (s *still) Disarm(int) bool                                   { return false }
func (s *still) Arm(_ context.Context, f []harness.Fault) ([]tap.Armed, error) {
	s.armed += len(f)
	return []tap.Armed{}, nil
}
