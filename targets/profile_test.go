package targets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func stripe(t testing.TB) *Profile {
	t.Helper()
	p, err := Builtin("stripe-v1")
	require.NoError(t, err)
	return p
}

func TestEveryBuiltinProfileLoads(t *testing.T) {
	require.NotEmpty(t, Names())
	for _, name := range Names() {
		b, err := profiles.ReadFile("profiles/" + name + ".yaml")
		require.NoError(t, err)
		held, err := Parse(b, name+".yaml")
		require.NoError(t, err, "Builtin relies on it")
		p, err := Builtin(name)
		require.NoError(t, err)
		assert.Equal(t, held.Document, p.Document)
		assert.Equal(t, name, p.Name)
		assert.Contains(t, []string{"provider", "shape", "domain"}, p.Kind, "%s: drill list has to put it somewhere", name)
		a := p.DefaultAction()
		a.Name = "A"
		require.NoError(t, p.CheckAction(a))
		changed, err := a.Arguments.Change(a.Changed)
		require.NoError(t, err)
		assert.NotEqual(t, p.Namer().Digest(a.Arguments), p.Namer().Digest(changed))
		assert.Regexp(t, "^sha256:[0-9a-f]{64}$", p.Digest())
	}
}

func TestStripePromises(t *testing.T) {
	got := stripe(t).Promises()
	assert.Equal(t, harness.KeyPromise{
		Kept: true, Retention: harness.Duration(24 * 3600e9), Scope: "account", Same: "replay", Other: "refuse",
		StoresErrors: true, Unkept: []int{401, 429}, InFlight: 409, InFlightCode: "idempotency_key_in_use", OtherCode: "idempotency_error", Marked: true,
	}, got.Key)
	assert.Equal(t, harness.FindPromise{By: []string{"business_key", "id"}, Authoritative: true}, got.Lookup)
	assert.Equal(t, "metadata[action_id]", got.Reference)
	assert.False(t, got.Cancel || got.Events || got.ClientIDs || got.UniqueNames)
}

func TestStripeClasses(t *testing.T) {
	p := stripe(t).Promises()
	for _, c := range []struct {
		status int
		code   string
		want   harness.Class
	}{
		{200, "", harness.Confirmed},
		{400, "parameter_missing", harness.RejectedPermanent},
		{400, "idempotency_error", harness.RejectedPermanent},
		{401, "invalid_request_error", harness.RejectedPermanent},
		{402, "card_declined", harness.RejectedPermanent},
		{403, "", harness.RejectedPermanent},
		{404, "resource_missing", harness.RejectedPermanent},
		{408, "", harness.Unknown},
		{409, "idempotency_key_in_use", harness.Unknown},
		{409, "lock_timeout", harness.Unknown},
		{422, "", harness.RejectedPermanent},
		{429, "rate_limit", harness.RejectedTransient},
		{500, "api_error", harness.Unknown},
		{503, "", harness.Unknown},
		{302, "", harness.Unknown},
	} {
		assert.Equal(t, c.want, p.Classify(c.status, c.code), "%d %s", c.status, c.code)
	}
}

func TestStripeStores(t *testing.T) {
	p := stripe(t)
	for _, status := range []int{200, 400, 402, 404, 422, 500, 503} {
		assert.True(t, p.Stores(true, status), status)
	}
	for _, status := range []int{401, 409, 429} {
		assert.False(t, p.Stores(true, status), status)
	}
	assert.False(t, p.Stores(false, 400))
}

func TestLoadReadsAFile(t *testing.T) {
	b, err := profiles.ReadFile("profiles/stripe-v1.yaml")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	p, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, stripe(t).Digest(), p.Digest())

	_, err = Load("no-such")
	require.ErrorIs(t, err, ErrNoProfile)
	assert.Contains(t, err.Error(), "stripe-v1")
	_, err = Load("./no-such.yaml")
	require.ErrorIs(t, err, ErrNoProfile)
}

func TestMistakesHaveAPlace(t *testing.T) {
	b, err := profiles.ReadFile("profiles/stripe-v1.yaml")
	require.NoError(t, err)
	for _, c := range []struct{ name, old, new, reason string }{
		{"unknown key", "scope: account", "scoop: account", "scoop"},
		{"wrong type", "max: 255", "max: many", "many"},
		{"unknown class", "class: unknown", "class: perhaps", "perhaps"},
		{"no status", "{status: 429, class", "{status: 42, class", "expected an HTTP status, 100 to 599"},
		{"unknown variable", "amount: ${arguments.amount}", "amount: ${amount}", "is no template"},
		{"mixed template", "amount: ${arguments.amount}", "amount: x${arguments.amount}", "is no template"},
		{"doubled argument", "amount: ${arguments.amount}", "amount: ${arguments.charge}", "stands in two fields"},
		{"no field", "reference: metadata[action_id]", "reference: metadata[", "is no field"},
		{"no method", "method: POST", "method: BREW", "BREW"},
		{"no parameter", "exactly_one: [charge, payment_intent]", "exactly_one: [charge, token]", "not among accepts"},
		{"never", "never: [validation, 401", "never: [often, 401", "often"},
		{"changed", "changed: {/amount: 1299}", "changed: {amount: 1299}", "does not begin with /"},
		{"arguments", "amount: 1099}", "amount: 10.99}", "below 2^53"},
		{"no duration", "retention: 24h", "retention: soon", "soon"},
		{"no reaction", "other_arguments: {status: 400,", "other_arguments: {stats: 400,", "stats"},
		{"no word", "other_arguments: {status: 400, code: idempotency_error}", "other_arguments: shrug", "shrug"},
		{"doubled key", "name: stripe-v1", "name: a\nname: b", "name"},
		{"no yaml", "name: stripe-v1", "name: [", "map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(b), c.old, c.new, 1)
			require.NotEqual(t, string(b), text)
			_, err := Parse([]byte(text), "mine.yaml")
			require.Error(t, err)
			t.Log(err)
			assert.Regexp(t, `^mine\.yaml:\d+:\d+: `, err.Error())
			assert.NotRegexp(t, `^mine\.yaml:1:1: `, err.Error())
			assert.Contains(t, err.Error(), c.reason)
		})
	}
}
