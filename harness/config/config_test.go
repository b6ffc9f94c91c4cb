package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/internal/located"
)

const full = `
executor:
  kind: exec
  command: [python3, worker.py]
  intercept: [api.shop.example]
  abilities: {checks-approval: false}
env:
  API_BASE: ${target_url}/v1
target: stripe-v1
action:
  effect: refund
  business_key: ch_1
  arguments: {charge: ch_1, amount: 500}
changed: {/amount: 501}
whole: {/amount: 900}
limits:
  client_deadline: 200ms
  deliveries: 3
  max_attempts: 0
  policy_version: "7"
`

func TestParse(t *testing.T) {
	c, err := config.Parse("drill.yaml", []byte(full))
	require.NoError(t, err)
	require.Equal(t, harness.Executor{Kind: "exec", Command: []string{"python3", "worker.py"}, Intercept: []string{"api.shop.example"},
		Abilities: map[string]bool{"checks-approval": false}, Env: map[string]string{"API_BASE": "${target_url}/v1"}}, c.Executor)
	require.Equal(t, "stripe-v1", c.Target)
	require.Equal(t, harness.Arguments{"charge": "ch_1", "amount": int64(500)}, c.Action.Arguments)
	require.Equal(t, map[string]any{"/amount": int64(501)}, c.Action.Changed)
	require.Equal(t, map[string]any{"/amount": int64(900)}, c.Action.Whole)
	want := harness.DefaultLimits()
	want.ClientDeadline, want.Deliveries, want.MaxAttempts, want.PolicyVersion = harness.Duration(200*time.Millisecond), 3, 0, "7"
	require.Equal(t, want, c.Limits)
}

func TestWhatIsLeftOutKeepsItsDefault(t *testing.T) {
	c, err := config.Parse("drill.yaml", []byte("target: x\n"))
	require.NoError(t, err)
	require.Equal(t, harness.DefaultLimits(), c.Limits)
	require.Nil(t, c.Action)
	require.Empty(t, c.Executor.Kind)
}

func TestLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := config.Load("")
	require.NoError(t, err)
	require.Equal(t, config.Default(), c)
	_, err = config.Load("other.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(".", config.Name), []byte(full), 0o600))
	c, err = config.Load("")
	require.NoError(t, err)
	require.Equal(t, "stripe-v1", c.Target)
}

func TestParseRefuses(t *testing.T) {
	const action = "action: {effect: r, business_key: k, arguments: {n: 1}}\n"
	for _, c := range []struct {
		name, in     string
		line, column int
		reason       string
	}{
		{"unknown key", "target: x\nexecuter: {}\n", 2, 1, `unknown key "executer": expected one of action, changed, env`},
		{"unknown key inside", "limits:\n  leese: 1s\n", 2, 3, `unknown key "leese": expected one of client_deadline`},
		{"wrong type", "limits:\n  deliveries: many\n", 2, 15, `deliveries is "many": expected a whole number, 1 to 100`},
		{"command is no list", "executor:\n  command: python3 w.py\n", 2, 12, "expected a list of words"},
		{"kind", "executor:\n  kind: docker\n", 2, 9, "expected one of exec, serve, builtin"},
		{"no command", "executor:\n  kind: exec\n", 2, 3, "command is missing"},
		{"name and command", "executor:\n  name: x\n  command: [y]\n", 2, 9, "this one has a command"},
		{"builtin with command", "executor:\n  kind: builtin\n  command: [y]\n", 3, 12, "no command"},
		{"ability", "executor:\n  name: x\n  abilities: {flies: true}\n", 3, 22, `no ability "flies"`},
		{"placeholder", "env: {A: \"${url}\"}\n", 1, 10, "${url} is not known"},
		{"drill's own", "env: {DRILL_X: a}\n", 1, 16, "drill's own"},
		{"variable", "env: {\"A B\": a}\n", 1, 14, "no name of a variable"},
		{"duration", "limits:\n  lease: soon\n", 2, 10, `lease: "soon" is no duration`},
		{"negative", "limits: {lease: -1s}\n", 1, 17, "is no duration"},
		{"zero", "limits: {lease: 0s}\n", 1, 17, "at least 1ms"},
		{"count", "limits: {deliveries: 0}\n", 1, 22, "expected a whole number, 1 to 100"},
		{"changed alone", "changed: {/a: 1}\n", 1, 11, "there is no action"},
		{"fraction", "action: {effect: r, business_key: k, arguments: {n: 1.5}}\n", 1, 53, "integers below 2^53"},
		{"twice", "action: {effect: r, business_key: k, arguments: {n: 1, n: 2}}\n", 1, 56, "already defined"},
		{"no number", "action: {effect: r, business_key: k, arguments: {n: NaN}}\n", 1, 53, "NaN is a text to one reader and a number to another"},
		{"YAML's own", "action: {effect: r, business_key: k, arguments: {n: .nan}}\n", 1, 53, "integers below 2^53"},
		{"no end", "action: {effect: r, business_key: k, arguments: {l: [a, -Infinity]}}\n", 1, 57, "-Infinity is a text to one reader"},
		{"too large", "action: {effect: r, business_key: k, arguments: {m: {n: 1e400}}}\n", 1, 57, "1e400 is a text to one reader"},
		{"half a pair", "action: {effect: r, business_key: k, arguments: {n: \"\\ud800\"}}\n", 1, 54, "surrogate"},
		{"no effect", "action: {business_key: k, arguments: {n: 1}}\n", 1, 10, "effect is missing"},
		{"no key", "action: {effect: r, arguments: {n: 1}}\n", 1, 10, "business_key is missing"},
		{"no arguments", "action: {effect: r, business_key: k}\n", 1, 10, "arguments are missing"},
		{"pointer", action + "changed: {n: 1}\n", 2, 14, "does not begin with /"},
		{"no change", action + "changed: {/n: 1}\n", 2, 15, "has this value already"},
		{"port of one that does not serve", "executor: {command: [x]}\nenv: {PORT: \"${port}\"}\n", 2, 13, "this one is not of that kind"},
		{"host", "executor: {command: [x], intercept: [\"https://api.stripe.com\"]}\n", 1, 38, "is no host: expected a name alone, like api.stripe.com"},
		{"host of a builtin", "executor: {name: x, intercept: [api.stripe.com]}\n", 1, 21, "hosts are intercepted for a command"},
		{"empty", "", 1, 1, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := config.Parse("drill.yaml", []byte(c.in))
			var le *located.Error
			require.ErrorAs(t, err, &le)
			require.Contains(t, le.Reason, c.reason)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{le.Line, le.Column}, err.Error())
			require.Contains(t, err.Error(), "drill.yaml:")
		})
	}
}

// TestParseTellsAllAtOnce: what is not of the schema.
func TestParseTellsAllAtOnce(t *testing.T) {
	_, err := config.Parse("drill.yaml", []byte("executor: {kind: docker}\nlimits:\n  lease: 4\n  waits: -1\n"))
	for _, want := range []string{
		`drill.yaml:1:18: kind is "docker": expected one of exec, serve, builtin`,
		"drill.yaml:3:10: lease is 4: expected a duration, like 300ms",
		"drill.yaml:4:10: waits is -1: expected a whole number, 0 to 1000",
	} {
		require.ErrorContains(t, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("executor: {name: reference}\n"))
	f.Add([]byte(serving))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := config.Parse("drill.yaml", b)
		if err != nil {
			var le *located.Error
			require.ErrorAs(t, err, &le)
		}
	})
}

// TestQuotedNumbersAreTexts: in quotes nobody takes them for anything else.
func TestQuotedNumbersAreTexts(t *testing.T) {
	c, err := config.Parse("drill.yaml", []byte(`action: {effect: r, business_key: k, arguments: {a: "NaN", b: '1e400', c: order-1e4, d: 12}}`))
	require.NoError(t, err)
	require.Equal(t, harness.Arguments{"a": "NaN", "b": "1e400", "c": "order-1e4", "d": int64(12)}, c.Action.Arguments)
}
