package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

func builtin(t testing.TB, name string) *Profile {
	t.Helper()
	p, err := Builtin(name)
	require.NoError(t, err)
	return p
}

// TestASetHasNoOrder: who gets a message is one argument in any order, on the action's
// side, in the request and in what the target shows.
func TestASetHasNoOrder(t *testing.T) {
	p := builtin(t, "mail-http")
	n := p.Namer()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-c"<&é]{1,4}`), 1, 4).Draw(t, "recipients")
		write := func(to []string) (Write, harness.RawRequest) {
			args, err := harness.NewArguments(map[string]any{"recipients": boxed(to), "subject": "s", "template": "t", "version": "v1"})
			require.NoError(t, err)
			w := Write{Key: "k", ActionID: "a", BusinessKey: "o", Arguments: args}
			raw, err := p.Request(harness.CreateOp, "", w)
			require.NoError(t, err)
			return w, raw
		}
		one, first := write(list)
		two, second := write(rapid.Permutation(list).Draw(t, "order"))
		assert.Equal(t, n.Digest(one.Arguments), n.Digest(two.Arguments))
		assert.Equal(t, string(first.Body), string(second.Body), "one request")
		assert.Equal(t, n.Digest(one.Arguments), n.Name(first).Arguments, "read back from the wire")
		other, _ := write(append(list, "somebody else"))
		assert.NotEqual(t, n.Digest(one.Arguments), n.Digest(other.Arguments))
	})
}

func boxed(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// TestASetIsReadAsItWasSpelled: another client's spaces and order are the same set.
func TestASetIsReadAsItWasSpelled(t *testing.T) {
	p := builtin(t, "mail-http")
	a := p.DefaultAction()
	raw, err := p.Request(harness.CreateOp, "", Write{Arguments: a.Arguments})
	require.NoError(t, err)
	raw.Body = []byte(`{"to": [ "bob@example.com",  "ada@example.com" ], "subject": "Your order",
		"template": {"id": "receipt"}, "tags": [{"name": "template_version", "value": "v3"}]}`)
	assert.Equal(t, p.Namer().Digest(a.Arguments), p.Namer().Name(raw).Arguments)
}

// TestAQueryAsksInAText: the variable in a search's text is found again, and a text of
// another form asks by nothing.
func TestAQueryAsksInAText(t *testing.T) {
	p := builtin(t, "tickets")
	raw, err := p.Request(harness.FindOp, "", Write{ActionID: "act 1&2"})
	require.NoError(t, err)
	assert.Equal(t, "act 1&2", p.Namer().Name(raw).Reference)
	by, value := p.Asks(harness.FindOp, "query", "type:ticket external_id:act-1")
	assert.Equal(t, []string{"reference", "act-1"}, []string{by, value})
	for _, c := range [][2]string{{"query", "external_id:act-1"}, {"sort", "type:ticket external_id:act-1"}} {
		by, _ = p.Asks(harness.FindOp, c[0], c[1])
		assert.Empty(t, by, c)
	}
	raw, err = p.Request(harness.FindOp, "", Write{})
	require.NoError(t, err)
	assert.Empty(t, raw.Query, "what comes out empty is left out, its text with it")
}

// TestOneFieldHoldsTheRequest: arguments are read inside it and nowhere else.
func TestOneFieldHoldsTheRequest(t *testing.T) {
	p := builtin(t, "tickets")
	a := p.DefaultAction()
	raw, err := p.Request(harness.CreateOp, "", Write{ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments})
	require.NoError(t, err)
	assert.JSONEq(t, `{"ticket": {"requester": {"email": "ada@example.com"}, "subject": "broken lamp",
		"priority": "normal", "external_id": "act-1"}}`, string(raw.Body))
	named := p.Namer().Name(raw)
	assert.Equal(t, a.BusinessKey, named.BusinessKey)
	assert.Equal(t, "act-1", named.Reference)
	assert.Equal(t, p.Namer().Digest(a.Arguments), named.Arguments)
	raw.Body = []byte(`{"requester": {"email": "ada@example.com"}, "subject": "broken lamp", "priority": "normal"}`)
	assert.Empty(t, p.Namer().Name(raw).BusinessKey)
}

func TestShapesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ name, create, want string }{
		{"units of no amount", "accepts: {to: {type: string, units: {currency: in, digits: {eur: 2}}}, in: {type: string}}", "an amount in units is an integer"},
		{"units of no currency", "accepts: {to: {type: integer, units: {currency: in, digits: {eur: 2}}}}", "the currency is a parameter"},
		{"a set of no list", "accepts: {to: {type: string, set: true}}", "a set is a list"},
		{"a body's field without json", "body: ticket", "a body's field is one of json"},
		{"a body's field that is two", "body: ticket.data\n    json: {a: b}", "one field, not a path"},
		{"a text in a body", `json: {a: "x${action_id}"}`, "is no template"},
		{"two variables in a query", `query: {a: "${key}${action_id}"}`, "is no template"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte("name: x\noperations:\n  create:\n    method: POST\n    path: /x\n    "+c.create+"\n"), "x.yaml")
			require.ErrorContains(t, err, c.want)
		})
	}
}
