package wire_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// envStub lets this test binary be a worker that serves, and says how it behaves.
const envStub = "WIRE_TEST_STUB"

// serveStub is the worker: POST /things makes one thing.
func serveStub(behaviour string) {
	if behaviour == "never ready" {
		time.Sleep(time.Hour)
	}
	ln, err := net.Listen("tcp", os.Getenv(worker.EnvListen))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
	note := func(line string) {
		f, err := os.OpenFile(filepath.Join(os.Getenv(worker.EnvStateDir), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = io.WriteString(f, line+"\n")
			_ = f.Close()
		}
	}
	before := func() int {
		b, _ := os.ReadFile(filepath.Join(os.Getenv(worker.EnvStateDir), "log"))
		return strings.Count(string(b), "asked")
	}
	create := func() error {
		r, err := http.Post(os.Getenv(worker.EnvTargetURL)+"/things", "application/json", strings.NewReader(`{"thing":"A"}`))
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, r.Body)
		return r.Body.Close()
	}
	if behaviour == "at last" {
		ask := make(chan os.Signal, 1)
		signal.Notify(ask, syscall.SIGTERM)
		go func() {
			<-ask
			_ = create()
			os.Exit(0)
		}()
	}
	http.HandleFunc("GET /up", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("POST /started", func(http.ResponseWriter, *http.Request) { note("recover") })
	http.HandleFunc("POST /hooks/{id}", func(_ http.ResponseWriter, r *http.Request) { note("event " + r.PathValue("id")) })
	http.HandleFunc("POST /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		n := before()
		b, _ := io.ReadAll(r.Body)
		note("asked " + r.PathValue("id") + " " + r.Header.Get("X-Approval") + " " + string(b))
		fmt.Println("at work")
		first := n == 0
		switch {
		case behaviour == "silent" && first:
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
			return
		case behaviour == "exits" && first:
			os.Exit(7)
		case behaviour == "busy" && first:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "busy")
			return
		case behaviour == "late", behaviour == "at last":
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"made": {"id": "thing"}}`)
			w.(http.Flusher).Flush()
			if behaviour == "late" {
				go func() { _ = create() }()
			}
			return
		}
		if err := create(); err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, `{"made": {"id": "thing"}}`)
		if behaviour == "leaves" && first {
			w.(http.Flusher).Flush()
			_ = ln.Close()
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
			os.Exit(0)
		}
	})
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		var job worker.Job
		_ = json.NewDecoder(r.Body).Decode(&job)
		note("asked " + job.Deliver)
		reports := []harness.Report{}
		for _, a := range job.Actions {
			if create() != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			reports = append(reports, harness.Report{ActionID: a.ActionID, Outcome: harness.Done, Resource: "thing"})
		}
		// In a list, and on several lines: a service's own printer.
		b, _ := json.MarshalIndent(reports, "", "  ")
		_, _ = w.Write(b)
	})
	_ = http.Serve(ln, nil)
}

// mapped is a worker that is asked in words of its own.
func mapped() *harness.Served {
	return &harness.Served{Ready: "/up",
		Deliver: &harness.Ask{Method: "POST", Path: "/things/${action_id}", Headers: map[string]string{"X-Approval": "${approval.id}"},
			Body: map[string]any{"what": "${arguments.thing}", "try": "${delivery}"}},
		Recover: &harness.Ask{Method: "POST", Path: "/started"},
		Event:   &harness.Ask{Method: "POST", Path: "/hooks/${event.reference}"},
		Answers: []harness.Answer{{Outcome: harness.Done, ResourceID: "/made/id"}},
	}
}

// stub is a schedule whose worker is this binary, as a server.
func stub(t *testing.T, how *harness.Served, behaviour string, lines ...string) harness.Schedule {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	s := schedule(t, "serve", "", lines...)
	s.Executor.Command, s.Executor.Serve = []string{self}, how
	s.Executor.Env = map[string]string{envStub: behaviour}
	s.Limits.Lease = harness.Duration(20 * time.Millisecond)
	return s
}

// lives are the incarnations that the deliveries came to.
func lives(h *harness.History) (out []int) {
	for _, d := range events(h, harness.EvDeliver) {
		out = append(out, d.Incarnation)
	}
	return out
}

func TestAServedWorkerLivesOn(t *testing.T) {
	for _, c := range []struct {
		name, behaviour string
		how             *harness.Served
		lines           []string
		lives           []int
		ends            []string
		effects         int
	}{
		{"by the protocol", "", nil, []string{"deliver#2 respell"}, []int{1, 1}, []string{"answered", "answered"}, 2},
		{"in its own words", "", mapped(), []string{"deliver#2 respell"}, []int{1, 1}, []string{"answered", "answered"}, 2},
		{"killed", "", mapped(), []string{"create#1 response kill"}, []int{1, 2}, []string{"signal SIGKILL", "answered"}, 2},
		{"killed before", "", nil, []string{"create#1 request kill"}, []int{1, 2}, []string{"signal SIGKILL", "answered"}, 1},
		{"killed as it reports", "", nil, []string{"report#1 kill"}, []int{1, 2}, []string{"signal SIGKILL", "answered"}, 2},
		{"its caller gives up", "", mapped(), []string{"create#1 response cancel"}, []int{1, 1}, []string{"given up: context canceled", "answered"}, 2},
		{"its caller gives up before", "", nil, []string{"create#1 request cancel"}, []int{1, 1}, []string{"given up: context canceled", "answered"}, 1},
		{"its report is lost", "", mapped(), []string{"report#1 lose"}, []int{1, 1}, []string{"answered", "answered"}, 2},
		{"another machine", "", mapped(), []string{"deliver#2 elsewhere"}, []int{1, 2}, []string{"answered", "answered"}, 2},
		{"a worker starts", "", mapped(), []string{"deliver#2 recover"}, []int{1, 2}, []string{"answered", "answered"}, 1},
		{"a worker starts, by the protocol", "", nil, []string{"deliver#2 recover"}, []int{1, 2}, []string{"answered", "answered"}, 1},
		{"ends by itself", "exits", mapped(), nil, []int{1, 2}, []string{"exit 7", "answered"}, 1},
		{"says nothing", "silent", mapped(), nil, []int{1, 1}, []string{"it closed the connection without a whole answer", "answered"}, 1},
		{"is busy", "busy", mapped(), nil, []int{1, 1}, []string{"answered 503, which means nothing by drill.yaml", "answered"}, 1},
		{"answers before its work is done", "late", mapped(), nil, []int{1}, []string{"answered"}, 1},
		{"does its work as it ends, and is held", "at last", mapped(), []string{"create#1 request hold until create#2"}, []int{1}, []string{"answered"}, 1},
		{"does its work as it ends, and stands still", "at last", mapped(), []string{"create#1 response pause 60ms"}, []int{1}, []string{"answered"}, 1},
		{"two at once", "", mapped(), []string{"deliver#1 times 2"}, []int{1, 1}, []string{"answered", "answered"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			h, shop := r.run(stub(t, c.how, c.behaviour, c.lines...))
			fired(t, h)
			require.Equal(t, c.lives, lives(h), kinds(h))
			require.Equal(t, c.ends, notes(h, harness.EvEnd))
			require.Equal(t, c.effects, shop.count())
			require.Empty(t, events(h, harness.EvBound))
			require.Empty(t, events(h, harness.EvRefused))
			for _, e := range events(h, harness.EvReport) {
				require.Equal(t, harness.Report{ActionID: "act-A", Outcome: harness.Done, Resource: "thing"}, *e.Report)
			}
		})
	}
}

// TestAServedWorkerStandsStillBehindItsAnswer: the trial waits until it has gone on.
func TestAServedWorkerStandsStillBehindItsAnswer(t *testing.T) {
	r := newRig(t, nil)
	s := stub(t, mapped(), "late", "create#1 response pause 200ms")
	s.Limits.Lease = harness.Duration(60 * time.Second)
	h, shop := r.run(s)
	fired(t, h)
	require.Equal(t, []int{1}, lives(h))
	require.Equal(t, 1, shop.count())
	require.Empty(t, events(h, harness.EvBound))
}

// TestAServedWorkerKeepsItsConnections: from one delivery to the next.
func TestAServedWorkerKeepsItsConnections(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(stub(t, mapped(), "", "deliver#2 respell"))
	q := events(h, harness.EvRequest)
	require.Len(t, q, 2)
	require.Equal(t, q[0].Conn, q[1].Conn)
	require.Equal(t, []bool{false, true}, []bool{q[0].Warm, q[1].Warm})
	require.Equal(t, []int{1, 2}, []int{q[0].Delivery, q[1].Delivery})
}

// TestAServedWorkerHearsOfEvents: where it says how.
func TestAServedWorkerHearsOfEvents(t *testing.T) {
	r := newRig(t, nil)
	h, _ := r.run(stub(t, mapped(), "", "event#1 twice"))
	fired(t, h)
	told := 0
	for i, d := range events(h, harness.EvDeliver) {
		if d.Deliver.Event != nil {
			told++
			require.Equal(t, "answered", notes(h, harness.EvEnd)[i])
		}
	}
	require.Equal(t, 2, told)
}

// TestNobodyHearsOfWhatComesAtLast: and nobody waits until somebody does.
func TestNobodyHearsOfWhatComesAtLast(t *testing.T) {
	r := newRig(t, nil)
	h, shop := r.run(stub(t, mapped(), "at last", "event#1 twice?"))
	require.Equal(t, 1, shop.count())
	require.Equal(t, []int{1}, lives(h))
	require.Empty(t, events(h, harness.EvBound))
	require.Len(t, events(h, harness.EvPassed), 1)
}

// TestAServedWorkerThatIsNeverReady is killed when its time is over, and one that can
// not be started ends the trial.
func TestAServedWorkerThatIsNeverReady(t *testing.T) {
	r := newRig(t, nil)
	s := stub(t, mapped(), "never ready")
	s.Limits.Delivery, s.Limits.Deliveries = harness.Duration(200*time.Millisecond), 1
	h, shop := r.run(s)
	require.Equal(t, []string{"signal SIGKILL"}, notes(h, harness.EvEnd))
	require.Equal(t, []string{"it never ended and was killed"}, notes(h, harness.EvNack))
	require.Zero(t, shop.count())

	s.Executor.Command = []string{filepath.Join(t.TempDir(), "nobody")}
	_, err := r.Run(t.Context(), s)
	require.ErrorContains(t, err, "no such file")
}

// TestAServedWorkerIsAskedForWhatItIsHanded: path, header and body.
func TestAServedWorkerIsAskedForWhatItIsHanded(t *testing.T) {
	how := mapped()
	how.Answers = []harness.Answer{{Status: 202, Outcome: harness.Waiting, WaitsFor: harness.ForWorker}, {Outcome: harness.Done, ResourceID: "/made/id"}}
	how.Deliver.Body = map[string]any{"what": "${arguments.nothing}"}
	r := newRig(t, nil)
	s := stub(t, how, "")
	s.Limits.Deliveries = 1
	h, shop := r.run(s)
	require.Equal(t, []string{"${arguments.nothing}: what is handed over has no such field"}, notes(h, harness.EvEnd))
	require.Zero(t, shop.count())
}
