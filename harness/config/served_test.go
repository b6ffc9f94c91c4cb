package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/internal/located"
)

const serving = `
executor:
  command: [node, server.js, --port, "${port}"]
  serve:
    ready: /healthz
    deliver:
      request: POST /refunds/${action_id}
      headers: {X-Approval: "${approval.id}"}
      body: {charge: "${arguments.charge}", amount: "${arguments.amount}", tries: [1, "${delivery}"]}
    recover: {request: POST /started}
    answers:
      - {status: 200, field: /state, is: settled, outcome: done, resource_id: /refund/id}
      - {status: 202, outcome: waiting, waits_for: approval}
      - {status: 422, outcome: rejected, error_class: /error/class}
  abilities: {checks-approval: false}
env: {LISTEN: "${listen}"}
`

func TestParseServed(t *testing.T) {
	c, err := config.Parse("drill.yaml", []byte(serving))
	require.NoError(t, err)
	require.Equal(t, harness.Executor{Kind: "serve", Command: []string{"node", "server.js", "--port", "${port}"},
		Serve: &harness.Served{
			Ready: "/healthz",
			Deliver: &harness.Ask{Method: "POST", Path: "/refunds/${action_id}", Headers: map[string]string{"X-Approval": "${approval.id}"},
				Body: map[string]any{"charge": "${arguments.charge}", "amount": "${arguments.amount}", "tries": []any{uint64(1), "${delivery}"}}},
			Recover: &harness.Ask{Method: "POST", Path: "/started"},
			Answers: []harness.Answer{
				{Status: 200, Field: "/state", Is: "settled", Outcome: harness.Done, ResourceID: "/refund/id"},
				{Status: 202, Outcome: harness.Waiting, WaitsFor: harness.ForApproval},
				{Status: 422, Outcome: harness.Rejected, ErrorClass: "/error/class"},
			},
		},
		// It can wait for a person; nothing says how it would hear of an event.
		Abilities: map[string]bool{"checks-approval": false, "hears-events": false},
		Env:       map[string]string{"LISTEN": "${listen}"},
	}, c.Executor)

	c, err = config.Parse("drill.yaml", []byte("executor: {kind: serve, command: [server]}\n"))
	require.NoError(t, err)
	require.Equal(t, harness.Executor{Kind: "serve", Command: []string{"server"}}, c.Executor, "by the worker protocol it can be told everything")
}

func TestParseServedRefuses(t *testing.T) {
	const answers = "answers: [{outcome: rejected}]"
	serve := func(s string) string { return "executor:\n  command: [x]\n  serve: {" + s + "}\n" }
	for _, c := range []struct {
		name, in     string
		line, column int
		reason       string
	}{
		{"no command", "executor:\n  serve: {ready: /up}\n", 2, 3, "command is missing: an executor of kind serve"},
		{"another kind", "executor:\n  kind: exec\n  command: [x]\n  serve: {ready: /up}\n", 4, 3, "this one is of kind exec"},
		{"key", serve("redy: /up"), 3, 11, `unknown key "redy"`},
		{"ready", serve("ready: up"), 3, 18, "expected a path, like /healthz"},
		{"request", serve("deliver: {request: /refunds}"), 3, 30, "expected a method and a path, like POST /refunds"},
		{"method", serve("deliver: {request: post /refunds}"), 3, 30, "expected a method and a path"},
		{"field", serve(`deliver: {request: "POST /${arguments.id}"}, recover: {request: "POST /${action_id}"}, ` + answers), 3, 75, "${action_id} is not known here: expected one of ${delivery}, ${trigger_key}"},
		{"body's field", serve("deliver: {request: POST /, body: [{a: \"${amount}\"}]}, " + answers), 3, 44, "${amount} is not known here"},
		{"body without answers", serve("deliver: {request: POST /, body: {a: 1}}"), 3, 38, "needs answers"},
		{"job's field", serve(`deliver: {request: "POST /${action_id}"}`), 3, 30, "${action_id} is not known here"},
		{"event without answers", serve("event: {request: POST /hook}"), 3, 11, "recover and event are for a worker with answers of its own"},
		{"outcome", serve("answers: [{outcome: fine}]"), 3, 31, "expected one of done, rejected, needs_review, waiting"},
		{"no outcome", serve("answers: [{status: 200}]"), 3, 22, "outcome is missing"},
		{"status", serve("answers: [{status: 99, outcome: rejected}]"), 3, 30, "expected a status, 200 to 599"},
		{"done with nothing", serve("answers: [{outcome: done}]"), 3, 22, "resource_id is missing"},
		{"waiting for nothing", serve("answers: [{outcome: waiting}]"), 3, 22, "waits_for is missing"},
		{"is", serve("answers: [{is: a, outcome: rejected}]"), 3, 26, "there is none"},
		{"pointer", serve("answers: [{field: state, outcome: rejected}]"), 3, 29, "like /refund/id"},
		{"ability", "executor:\n  command: [x]\n  serve: {" + answers + "}\n  abilities: {hears-events: true}\n", 4, 29, "there is no event request under executor.serve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Parse("drill.yaml", []byte(c.in))
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, le.Reason, c.reason)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column}, err.Error())
		})
	}
}
