package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/postgres"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
	"github.com/retrydrill/drill/targets"
)

// night is when the receipts of these tests were written.
var night = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// claimOf claims the profile's own action, long ago.
func claimOf(p *targets.Profile, id string) receipt.Claim {
	a := p.DefaultAction()
	d := a.Arguments.Digest()
	return receipt.Claim{ActionID: id, TriggerKey: "evt_" + id, BusinessKey: a.BusinessKey, Effect: a.Effect, Arguments: a.Arguments, Digest: d, Covered: true,
		Approval: harness.Approval{ID: "approval-" + id, ArgumentsSHA256: d, PolicyVersion: "1", Status: harness.Granted, SingleUse: true},
		Owner:    "w1", Lease: time.Second, Now: night}
}

// leave leads a new receipt to a state, as a life would that ended there.
func leave(ctx context.Context, s receipt.Store, c receipt.Claim, to ...receipt.State) (receipt.Receipt, error) {
	r, _, err := s.Claim(ctx, c)
	for i, state := range to {
		if err != nil {
			break
		}
		next := r
		if state == receipt.Sent {
			next.Attempt++
			next.Key.Since = c.Now
		}
		if state == receipt.Confirmed {
			next.Resource, next.RequestID, next.Status, next.Class = "re_"+c.ActionID, "req_"+c.ActionID, 200, harness.Confirmed
		}
		if state == receipt.NeedsReview {
			next.ErrorClass, next.Detail = harness.Ambiguous, "2 effects carry this action's reference"
		}
		next = next.To(state, c.Now.Add(time.Duration(i+1)*time.Second))
		err = s.Write(ctx, r.State, next)
		r = next
	}
	return r, err
}

// lives are the receipts of the script tests, in the order of their making.
var lives = []struct {
	id string
	to []receipt.State
}{
	{"approved", nil},
	{"sent", []receipt.State{receipt.Sent}},
	{"confirmed", []receipt.State{receipt.Sent, receipt.Confirmed}},
	{"rejected", []receipt.State{receipt.Sent, receipt.Rejected}},
	{"review", []receipt.State{receipt.Sent, receipt.Unknown, receipt.NeedsReview}},
	{"old", []receipt.State{receipt.Sent, receipt.Confirmed}},
}

// receiptsIn FILE makes a database with a receipt in each state, one of them archived.
func receiptsIn(ts *testscript.TestScript, _ bool, args []string) {
	p, err := targets.Builtin("stripe-v1")
	ts.Check(err)
	s, err := sqlite.Open(context.Background(), ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(populate(context.Background(), p, s))
	ts.Check(s.Close())
}

func populate(ctx context.Context, p *targets.Profile, s receipt.Books) error {
	for _, l := range lives {
		r, err := leave(ctx, s, claimOf(p, l.id), l.to...)
		if err == nil && l.id == "old" {
			err = s.Archive(ctx, r, night)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askReceipts runs a command in this process.
func askReceipts(t *testing.T, args ...string) (out string, exit int) {
	t.Helper()
	c := root()
	var b bytes.Buffer
	c.SetOut(&b)
	c.SetErr(&b)
	c.SetArgs(append([]string{"receipts"}, args...))
	err := c.ExecuteContext(t.Context())
	tell(&b, err)
	return b.String(), exitCode(err)
}

const sweepToken = "sk_test_sweep_secret"

// sweptTarget is a target that holds the effect of one action, and what came to it.
func sweptTarget(t *testing.T, done string) (url string, f *fakes.Fake, methods *[]string) {
	t.Helper()
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	f, err = fakes.New(p, fakes.Options{Token: sweepToken, Seed: 1})
	require.NoError(t, err)
	methods = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*methods = append(*methods, r.Method)
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, f.Close())
	})
	a := p.DefaultAction()
	out := targets.NewClient(p, server.URL, sweepToken, server.Client()).Create(t.Context(),
		targets.Write{Key: done, ActionID: done, BusinessKey: a.BusinessKey, Arguments: a.Arguments})
	require.Equal(t, harness.Confirmed, out.Class)
	*methods = nil
	return server.URL, f, methods
}

// TestSweepCommand: without --apply nothing is written, with it the same is; what was
// done is confirmed, what was not is rejected, what is young is left, and nothing is
// sent. The token shows nowhere.
func TestSweepCommand(t *testing.T) {
	url, fake, methods := sweptTarget(t, "done")
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	db := filepath.Join(t.TempDir(), "receipts.db")
	s, err := sqlite.Open(t.Context(), db)
	require.NoError(t, err)
	defer s.Close()
	for _, id := range []string{"done", "lost"} {
		_, err := leave(t.Context(), s, claimOf(p, id), receipt.Sent)
		require.NoError(t, err)
	}
	_, err = leave(t.Context(), s, claimOf(p, "waiting"))
	require.NoError(t, err)
	_, err = leave(t.Context(), s, claimOf(p, "settled"), receipt.Sent, receipt.Confirmed)
	require.NoError(t, err)
	young := claimOf(p, "young")
	young.Now, young.Lease = time.Now(), time.Millisecond
	_, err = leave(t.Context(), s, young, receipt.Sent)
	require.NoError(t, err)
	before := dump(t, s)

	t.Setenv("SWEEP_TOKEN", sweepToken)
	args := []string{"sweep", "--db", db, "--target", "stripe-v1", "--url", url, "--token-env", "SWEEP_TOKEN"}
	out, exit := askReceipts(t, args...)
	require.Equal(t, 2, exit, out)
	resource := fake.Effects()[0].Resource
	assert.Contains(t, out, "done: sent -> confirmed, "+resource+"\n")
	assert.Contains(t, out, "lost: sent -> rejected, nothing was done")
	assert.Contains(t, out, "waiting: approved -> left, left as it is: nothing is recorded as sent")
	assert.Contains(t, out, "1 confirmed, 1 rejected, 0 for a person, 1 left, 0 archived; nothing is written without --apply\n")
	assert.NotContains(t, out, "young")
	assert.NotContains(t, out, "settled")
	assert.Equal(t, before, dump(t, s), "nothing is written")

	applied, exit := askReceipts(t, append(args, "--apply")...)
	require.Equal(t, 2, exit, applied)
	assert.Equal(t, strings.Replace(out, "nothing is written without --apply", "written", 1), applied)
	r, err := s.Get(t.Context(), "done")
	require.NoError(t, err)
	assert.Equal(t, receipt.Confirmed, r.State)
	assert.Equal(t, resource, r.Resource)

	retention := []string{"--retention", "producer-retries=24h,redelivery=96h,resume=0,requeue=336h"}
	out, exit = askReceipts(t, append(append(args, retention...), "--apply", "--format", "json")...)
	require.Equal(t, 0, exit, out)
	var all []swept
	for line := range strings.Lines(out) {
		var w swept
		require.NoError(t, json.Unmarshal([]byte(line), &w))
		all = append(all, w)
	}
	require.Len(t, all, 2, out)
	assert.Equal(t, []any{"waiting", receipt.Rejected, false}, []any{all[0].ActionID, all[0].To, all[0].Archived})
	assert.Equal(t, []any{"settled", true}, []any{all[1].ActionID, all[1].Archived}, "what this sweep settled is young again")

	for _, m := range *methods {
		assert.Equal(t, http.MethodGet, m, "a sweep never sends")
	}
	assert.Len(t, fake.Effects(), 1)
}

func dump(t *testing.T, s receipt.Books) (out []string) {
	t.Helper()
	require.NoError(t, s.Each(t.Context(), receipt.Query{}, func(r receipt.Receipt) error {
		b, err := receipt.Encode(r)
		out = append(out, string(b))
		return err
	}))
	return out
}

// TestSweepAtADeadTarget: what can not be asked is left, and nobody is told the token.
func TestSweepAtADeadTarget(t *testing.T) {
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	db := filepath.Join(t.TempDir(), "receipts.db")
	s, err := sqlite.Open(t.Context(), db)
	require.NoError(t, err)
	defer s.Close()
	_, err = leave(t.Context(), s, claimOf(p, "sent"), receipt.Sent)
	require.NoError(t, err)
	t.Setenv("SWEEP_TOKEN", sweepToken)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error": {"code": "` + r.Header.Get("Authorization") + `", "type": "` + r.Header.Get("Authorization") + `", "message": "` + r.Header.Get("Authorization") + `"}}`))
	}))
	defer echo.Close()
	for _, url := range []string{down.URL, echo.URL} {
		for _, format := range []string{"text", "json"} {
			out, exit := askReceipts(t, "sweep", "--db", db, "--target", "stripe-v1", "--url", url, "--token-env", "SWEEP_TOKEN", "--apply", "--older-than", "0", "--format", format)
			assert.Equal(t, 2, exit, out)
			assert.NotContains(t, out, sweepToken)
			assert.NotEmpty(t, out)
		}
	}
	shown, exit := askReceipts(t, "show", "sent", "--db", db)
	assert.Equal(t, 2, exit)
	assert.NotContains(t, shown, sweepToken)
	assert.Contains(t, shown, "MAYBE: ")
}

// TestReceiptsInPostgres: every command on a database, whose string shows nowhere.
func TestReceiptsInPostgres(t *testing.T) {
	k := keepInPostgres(t)
	dsn, drop, err := k.server.Schema(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, drop()) })
	t.Setenv("RECEIPTS_DSN", dsn)
	out, exit := askReceipts(t, "list", "--postgres=RECEIPTS_DSN")
	require.Equal(t, 3, exit)
	require.Contains(t, out, "there is no receipt database")

	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), dsn)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, populate(t.Context(), p, s))
	for _, c := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"list"}, 0, "confirmed  confirmed     yes"},
		{[]string{"show", "re_old"}, 0, "the target calls it re_old"},
		{[]string{"decide", "sent", "--as", "absent", "--by", "jo", "--reason", "seen"}, 3, "only what needs review is for a person to decide"},
		{[]string{"decide", "review", "--as", "confirmed", "--resource", "re_7", "--by", "jo", "--reason", "seen"}, 0, "jo decided: seen"},
		{[]string{"decide", "review", "--as", "rejected", "--by", "al", "--reason", "unseen"}, 3, "review is confirmed"},
		{[]string{"show", "re_7"}, 0, "confirmed by jo: seen (it was there because: 2 effects carry this action's reference)"},
		{[]string{"export", "--archived"}, 0, `"action_id":"old"`},
	} {
		out, exit := askReceipts(t, append(c.args, "--postgres=RECEIPTS_DSN")...)
		require.Equal(t, c.exit, exit, out)
		require.Contains(t, out, c.want)
	}
	t.Setenv("RECEIPTS_DSN", "postgres://drill:"+sweepToken+"@127.0.0.1:1/receipts")
	out, exit = askReceipts(t, "list", "--postgres=RECEIPTS_DSN")
	require.Equal(t, 3, exit)
	require.NotContains(t, out, sweepToken)
}

// TestShowSteps: an action of several steps is shown with where each of them stands.
func TestShowSteps(t *testing.T) {
	p, err := targets.Builtin("orders")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "receipts.db")
	s, err := sqlite.Open(t.Context(), file)
	require.NoError(t, err)
	for _, l := range []struct {
		id string
		to []receipt.State
	}{
		{"A", []receipt.State{receipt.Sent, receipt.Unknown, receipt.NeedsReview}},
		{"A:pay", []receipt.State{receipt.Sent, receipt.Confirmed}},
		{"A:create", []receipt.State{receipt.Sent, receipt.Unknown, receipt.NeedsReview}},
	} {
		c := claimOf(p, l.id)
		c.TriggerKey, c.Effect = "evt_A", c.Effect+l.id[1:]
		_, err := leave(t.Context(), s, c, l.to...)
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	out, exit := askReceipts(t, "show", "A", "--db", file)
	require.Equal(t, 2, exit)
	require.Contains(t, out, "\nsteps         A:pay  confirmed  re_A:pay\n              A:create  needs_review\n")
	out, exit = askReceipts(t, "show", "evt_A", "--db", file)
	require.Equal(t, 2, exit)
	require.True(t, strings.HasPrefix(out, "3 receipts have the ID evt_A\n\nMAYBE: "), out)
}
