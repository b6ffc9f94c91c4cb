package wire_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

// twice posts a thing, and again if the answer was lost.
func twice(client *http.Client, url string) error {
	var err error
	for range 2 {
		var resp *http.Response
		resp, err = client.Post(url+"/things", "application/json", bytes.NewBufferString(letter))
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return err
		}
	}
	return err
}

func benchWorld(b *testing.B) *wire.World {
	w, err := wire.New(wire.Options{Dir: b.TempDir(),
		Funcs: map[string]worker.New{"twice": func(worker.Env) (worker.Func, func() error, error) {
			return func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				if err := twice(env.HTTP, env.TargetURL); err != nil {
					return err
				}
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
				return nil
			}, func() error { return nil }, nil
		}},
		Target: func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) { return newShop().target(), nil }})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, w.Close()) })
	return w
}

func benchSchedule(b *testing.B) harness.Schedule {
	s := schedule(b, "func", "twice", "create#1 response close")
	return s
}

// bare is the same without drill: a server built afresh, whose handler drops the
// first answer, and the same requests straight to it.
func bare(b *testing.B) {
	s := newShop()
	s.watch = func(harness.Effect) {}
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		if n == 1 {
			s.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	client := &http.Client{Transport: &http.Transport{}}
	require.NoError(b, twice(client, srv.URL))
	client.CloseIdleConnections()
	srv.Close()
	require.Equal(b, 2, s.count())
}

// BenchmarkTrial interleaves a wire trial with the bare world and reports the ratio
// of their medians; at most 4 is wanted.
func BenchmarkTrial(b *testing.B) {
	w, s := benchWorld(b), benchSchedule(b)
	var ours, theirs []time.Duration
	for b.Loop() {
		begun := time.Now()
		h, err := w.Run(b.Context(), s)
		ours = append(ours, time.Since(begun))
		require.NoError(b, err)
		require.Len(b, events(h, harness.EvEffect), 2)
		begun = time.Now()
		bare(b)
		theirs = append(theirs, time.Since(begun))
	}
	report(b, ours, theirs)
}

// BenchmarkTrialsInARow shows that the figure of the first 1,000 trials is kept:
// sockets in TIME_WAIT could spoil it. The metric is the median of the last 1,000
// against that of the first.
func BenchmarkTrialsInARow(b *testing.B) {
	w, s := benchWorld(b), benchSchedule(b)
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		_, err := w.Run(b.Context(), s)
		require.NoError(b, err)
		took = append(took, time.Since(begun))
	}
	if len(took) < 2000 {
		b.Skip("run with -benchtime 20000x")
	}
	report(b, took[len(took)-1000:], took[:1000])
}

// report publishes both medians, their ratio, and how many there were.
func report(b *testing.B, ours, theirs []time.Duration) {
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2])
	}
	o, t := median(ours), median(theirs)
	b.ReportMetric(o/t, "ratio")
	b.ReportMetric(o, "drill-ns")
	b.ReportMetric(t, "bare-ns")
	b.ReportMetric(float64(len(ours)), "n")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkKill interleaves a trial that kills an exec worker once with starting the
// same worker as often bare; at most 1.3 is wanted.
func BenchmarkKill(b *testing.B) {
	w := benchWorld(b)
	s := schedule(b, "exec", "", "create#1 response kill")
	s.Executor.Command = []string{"python3", "../../testdata/workers/tiny.py"}
	shop := newShop()
	shop.watch = func(harness.Effect) {}
	srv := httptest.NewServer(shop)
	defer srv.Close()
	job := `{"actions":[{"action_id":"act-A","arguments":{"thing":"A"}}]}`
	var ours, theirs []time.Duration
	for b.Loop() {
		begun := time.Now()
		h, err := w.Run(b.Context(), s)
		ours = append(ours, time.Since(begun))
		require.NoError(b, err)
		require.Len(b, events(h, harness.EvAck), 1, kinds(h))
		require.Len(b, events(h, harness.EvDeliver), 2)
		begun = time.Now()
		for range 2 {
			cmd := exec.Command(s.Executor.Command[0], s.Executor.Command[1:]...)
			cmd.Env = append(os.Environ(), "DRILL_TARGET_URL="+srv.URL, "DRILL_TARGET_TOKEN=t", "DRILL_CLIENT_DEADLINE_MS=3000")
			cmd.Stdin = strings.NewReader(job)
			out, err := cmd.CombinedOutput()
			require.NoError(b, err, string(out))
		}
		theirs = append(theirs, time.Since(begun))
	}
	report(b, ours, theirs)
}

// BenchmarkStand sends creates one after the other on a warm connection: straight to
// the target, through a stand, and through a stand that is armed anew for each.
func BenchmarkStand(b *testing.B) {
	open := func(b *testing.B) *wire.Stand {
		s, err := wire.OpenStand(wire.StandOptions{Listen: "127.0.0.1:0", Schedule: harness.Schedule{Limits: harness.DefaultLimits()},
			Target: func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) { return newShop().target(), nil }})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close(context.Background())) })
		return s
	}
	client := &http.Client{Transport: &http.Transport{}}
	run := func(b *testing.B, url string, before func()) {
		b.Cleanup(client.CloseIdleConnections)
		for b.Loop() {
			before()
			require.NoError(b, twice(client, url))
		}
	}
	b.Run("straight", func(b *testing.B) {
		shop := newShop()
		shop.watch = func(harness.Effect) {}
		s := httptest.NewServer(shop)
		b.Cleanup(s.Close)
		run(b, s.URL, func() {})
	})
	b.Run("passing", func(b *testing.B) { run(b, open(b).URL(), func() {}) })
	b.Run("cut-and-again", func(b *testing.B) {
		s := open(b)
		fault, err := harness.ParseFault("create#1 response close")
		require.NoError(b, err)
		run(b, s.URL(), func() {
			armed, err := s.Arm(b.Context(), []harness.Fault{fault})
			require.NoError(b, err)
			b.StopTimer()
			if armed[0].ID%500 == 0 {
				require.NoError(b, s.Reset(s.Schedule()))
				_, err = s.Arm(b.Context(), []harness.Fault{fault})
				require.NoError(b, err)
			}
			b.StartTimer()
		})
	})
}
