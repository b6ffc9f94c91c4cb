package drilltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// refunds is an executor as a team may have it: one POST to the refunds API under the
// action's ID as the key. It keeps what came of an action in a file, refuses other
// arguments for one that it began, and looks up what a lost answer left open. A second
// action of one trigger is the first.
type refunds struct {
	// key makes the idempotency key; nil sends none.
	key func(worker.JobAction) string
	// loops sends again by itself after a lost answer.
	loops bool
	// own sends through a transport of its own.
	own bool
}

func (r refunds) worker(env worker.Env) (worker.Func, func() error, error) {
	if !r.own {
		return r.deliver, func() error { return nil }, nil
	}
	transport := &http.Transport{DialContext: env.Dial}
	run := func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		env.HTTP = &http.Client{Transport: transport}
		return r.deliver(ctx, env, job, report)
	}
	return run, func() error { transport.CloseIdleConnections(); return nil }, nil
}

func (r refunds) deliver(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
	for _, a := range job.Actions {
		said := a.ActionID
		first, err := claim(filepath.Join(env.StateDir, job.TriggerKey+".trigger"), a.ActionID)
		if err != nil {
			return err
		}
		if len(job.Actions) == 1 {
			a.ActionID = first
		}
		out, err := r.one(ctx, env, a)
		if err != nil {
			return err
		}
		out.ActionID = said
		report(out)
	}
	return nil
}

// claim keeps the first action of a trigger. The file is there whole or not at all:
// whoever comes at the same moment reads the first one's ID.
func claim(path, id string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".claim-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(id)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err = os.Link(f.Name(), path); errors.Is(err, os.ErrExist) {
		b, err := os.ReadFile(path)
		return string(b), err
	}
	return id, err
}

// note is what is kept of one action.
type note struct {
	Digest string
	Report *harness.Report
}

func (r refunds) one(ctx context.Context, env worker.Env, a worker.JobAction) (harness.Report, error) {
	path := filepath.Join(env.StateDir, a.ActionID+".json")
	var n note
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		n.Digest = a.ArgumentsSHA256
		if err := write(path, n); err != nil {
			return harness.Report{}, err
		}
	case err != nil:
		return harness.Report{}, err
	case json.Unmarshal(b, &n) != nil:
		return harness.Report{}, fmt.Errorf("note %s can not be read", path)
	case n.Digest != a.ArgumentsSHA256:
		return harness.Report{ActionID: a.ActionID, Outcome: harness.Rejected, ErrorClass: harness.ArgumentsChanged}, nil
	case n.Report != nil:
		return *n.Report, nil
	}
	out, err := r.send(ctx, env, a)
	for r.loops && err != nil && ctx.Err() == nil {
		out, err = r.send(ctx, env, a)
	}
	if err != nil && !r.loops {
		out, err = r.find(ctx, env, a)
	}
	if err != nil {
		return out, err
	}
	n.Report = &out
	return out, write(path, n)
}

func write(path string, n note) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// send is one request. An error says that what came of it is not known.
func (r refunds) send(ctx context.Context, env worker.Env, a worker.JobAction) (harness.Report, error) {
	out := harness.Report{ActionID: a.ActionID}
	form := url.Values{"charge": {fmt.Sprint(a.Arguments["charge"])}, "amount": {fmt.Sprint(a.Arguments["amount"])}, "metadata[action_id]": {a.ActionID}}
	var key string
	if r.key != nil {
		key = r.key(a)
	}
	var got struct{ ID string }
	switch status, err := call(ctx, env, http.MethodPost, "/v1/refunds", key, form, &got); {
	case err != nil:
		return out, err
	case status == http.StatusOK && got.ID != "":
		out.Outcome, out.Resource, out.ErrorClass = harness.Done, got.ID, string(harness.Confirmed)
	case status == http.StatusBadRequest || status == http.StatusPaymentRequired || status == http.StatusUnprocessableEntity:
		out.Outcome, out.ErrorClass = harness.Rejected, string(harness.RejectedPermanent)
	default:
		return out, fmt.Errorf("status %d", status)
	}
	return out, nil
}

// find looks for the refund that the action made. Nothing found leaves it to the next
// delivery, which sends the same key again.
func (r refunds) find(ctx context.Context, env worker.Env, a worker.JobAction) (harness.Report, error) {
	out := harness.Report{ActionID: a.ActionID}
	var got struct {
		Data []struct {
			ID       string
			Metadata map[string]string
		}
	}
	query := url.Values{"charge": {fmt.Sprint(a.Arguments["charge"])}, "limit": {"100"}}
	if _, err := call(ctx, env, http.MethodGet, "/v1/refunds?"+query.Encode(), "", nil, &got); err != nil {
		return out, err
	}
	for _, re := range got.Data {
		if re.Metadata["action_id"] == a.ActionID {
			out.Outcome, out.Resource, out.ErrorClass = harness.Done, re.ID, string(harness.Confirmed)
			return out, nil
		}
	}
	return out, errors.New("nothing is found")
}

// call reads one whole answer.
func call(ctx context.Context, env worker.Env, method, path, key string, form url.Values, into any) (status int, err error) {
	ctx, stop := context.WithTimeout(ctx, env.ClientDeadline)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, method, env.TargetURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+env.Token)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := env.HTTP.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, json.Unmarshal(b, into)
}

func actionID(a worker.JobAction) string { return a.ActionID }
