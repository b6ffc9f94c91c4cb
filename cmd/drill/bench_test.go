package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

// BenchmarkTrialWithReceipts interleaves a wire trial (the reference executor, its
// receipts in a file, one answer lost at the stripe-v1 fake) with the bare world:
// the same fake behind a server built afresh, the same two requests straight to it,
// and as many commits through database/sql on a fresh file with the same pragmas.
// It reports the ratio of the medians; at most 2 is wanted.
func BenchmarkTrialWithReceipts(b *testing.B) {
	s, p := lostAnswer(b, "wire")
	w, err := wire.New(wire.Options{Builtins: builtins(), Target: fakes.Of(p), Dir: b.TempDir()})
	require.NoError(b, err)
	defer func() { require.NoError(b, w.Close()) }()
	dir := b.TempDir()
	var ours, theirs []time.Duration
	for n := 0; b.Loop(); n++ {
		begun := time.Now()
		h, err := w.Run(b.Context(), s)
		ours = append(ours, time.Since(begun))
		require.NoError(b, err)
		require.Equal(b, map[harness.EventKind]int{harness.EvRequest: 2, harness.EvEffect: 1, harness.EvAck: 1},
			counted(h, harness.EvRequest, harness.EvEffect, harness.EvAck))

		begun = time.Now()
		err = bareTrial(b.Context(), p, s, filepath.Join(dir, fmt.Sprint(n)))
		theirs = append(theirs, time.Since(begun))
		require.NoError(b, err)
	}
	o, t := median(ours), median(theirs)
	b.ReportMetric(o/t, "ratio")
	b.ReportMetric(o, "drill-ns")
	b.ReportMetric(t, "bare-ns")
	b.ReportMetric(float64(len(ours)), "n")
	b.ReportMetric(0, "ns/op")
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2])
}

func counted(h *harness.History, kinds ...harness.EventKind) map[harness.EventKind]int {
	out := map[harness.EventKind]int{}
	for _, e := range h.Events {
		if slices.Contains(kinds, e.Kind) {
			out[e.Kind]++
		}
	}
	return out
}

func lostAnswer(b testing.TB, world string) (harness.Schedule, *targets.Profile) {
	p, err := targets.Builtin(defaultTarget)
	require.NoError(b, err)
	a := p.DefaultAction()
	f, err := harness.ParseFault("create#1 response close")
	require.NoError(b, err)
	s, err := suite.Options{WorldName: world, Executor: harness.Executor{Kind: "builtin", Name: "reference"}, Promises: p.Promises(), Seed: 1,
		Limits: harness.DefaultLimits(), Action: suite.Template{Effect: a.Effect, BusinessKey: a.BusinessKey, Arguments: a.Arguments},
	}.Schedule(scenarios.Trial{Faults: []harness.Fault{f}})
	require.NoError(b, err)
	return s, p
}

// bareTrial is the same without drill and without an executor.
func bareTrial(ctx context.Context, p *targets.Profile, s harness.Schedule, file string) error {
	fake, err := fakes.New(p, fakes.Options{Token: "t", Seed: s.Seed, Limits: s.Limits, Action: s.Actions[0]})
	if err != nil {
		return err
	}
	defer fake.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			fake.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		fake.ServeHTTP(w, r)
	}))
	defer srv.Close()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := commits(ctx, db, s.Actions[0].ID); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	if err := call(client, srv.URL, s.Actions[0]); err != nil {
		return err
	}
	if n := len(fake.Effects()); n != 1 {
		return fmt.Errorf("%d effects", n)
	}
	// The state directory of a trial goes away too.
	if err := db.Close(); err != nil {
		return err
	}
	return os.Remove(file)
}

// commits are those of a receipt's life in this trial: the schema, claimed, sent,
// unknown, confirmed.
func commits(ctx context.Context, db *sql.DB, id string) error {
	if _, err := db.ExecContext(ctx, "CREATE TABLE receipts (action_id TEXT PRIMARY KEY, state TEXT NOT NULL, arguments TEXT NOT NULL)"); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO receipts VALUES (?, 'approved', ?)", id, `{"amount":1099,"charge":"ch_3PartialRefund1001"}`); err != nil {
		return err
	}
	for _, state := range []string{"sent", "unknown", "confirmed"} {
		if _, err := db.ExecContext(ctx, "UPDATE receipts SET state = ? WHERE action_id = ?", state, id); err != nil {
			return err
		}
	}
	return nil
}

// call makes the refund, whose answer is lost, and looks it up.
func call(client *http.Client, base string, a harness.Action) error {
	form := url.Values{"charge": {a.BusinessKey}, "amount": {fmt.Sprint(a.Arguments["amount"])}, "metadata[action_id]": {a.ID}}
	post, err := http.NewRequest(http.MethodPost, base+"/v1/refunds", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	post.Header.Set("Idempotency-Key", a.ID)
	get, err := http.NewRequest(http.MethodGet, base+"/v1/refunds?limit=100&charge="+a.BusinessKey, nil)
	if err != nil {
		return err
	}
	for _, r := range []*http.Request{post, get} {
		r.Header.Set("Authorization", "Bearer t")
		resp, err := client.Do(r)
		if err != nil {
			continue
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: status %d: %v", r.Method, resp.StatusCode, err)
		}
	}
	return nil
}
