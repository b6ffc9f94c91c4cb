package drilltest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/worker"
)

// smallest sends the key that a retry of the action sends again, and does no more.
func smallest(worker.Env) (worker.Func, func() error, error) {
	run := func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		for _, a := range job.Actions {
			form := url.Values{"charge": {fmt.Sprint(a.Arguments["charge"])}, "amount": {fmt.Sprint(a.Arguments["amount"])}}
			req, err := http.NewRequestWithContext(ctx, "POST", env.TargetURL+"/v1/refunds", strings.NewReader(form.Encode()))
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", "Bearer "+env.Token)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Idempotency-Key", a.ActionID)
			resp, err := env.Client().Do(req)
			if err != nil {
				return err // a failed delivery: the action comes again
			}
			defer resp.Body.Close()
			var refund struct{ ID string }
			if err := json.NewDecoder(resp.Body).Decode(&refund); err != nil || resp.StatusCode != http.StatusOK {
				return fmt.Errorf("status %d, %v", resp.StatusCode, err)
			}
			report(harness.Report{ActionID: a.ActionID, Outcome: harness.Done, Resource: refund.ID})
		}
		return nil
	}
	return run, func() error { return nil }, nil
}

// A first executor: what the target's key gives it, it has.
func ExampleRun_smallest() {
	tested(func(t *testing.T) {
		drilltest.Run(t, drilltest.Options{New: smallest, Abilities: map[string]bool{"checks-approval": false, "waits": false},
			Scenarios: []string{"control", "lost-answer", "dies-after-commit", "two-at-once"}})
	})
	// Output: ok
}

// TestThePageShowsTheSmallest: docs/go-test.md has it as it stands here.
func TestThePageShowsTheSmallest(t *testing.T) {
	source, err := os.ReadFile("smallest_test.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "\nfunc smallest(")
	require.True(t, ok)
	body, _, _ = strings.Cut(body, "\n}\n")
	page, err := os.ReadFile("../../docs/go-test.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "func Worker("+body+"\n}\n")
}
