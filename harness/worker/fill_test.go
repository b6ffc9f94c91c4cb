package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func handed(t testing.TB) fields {
	t.Helper()
	f, err := fieldsOf(map[string]any{"delivery": 2, "answer": nil}, JobAction{ActionID: "0197", BusinessKey: "ch 1/2",
		Arguments: harness.Arguments{"amount": int64(9007199254740991), "lines": []any{"a", true}}, Approval: harness.Approval{ID: "ok"}})
	require.NoError(t, err)
	return f
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"n": "${arguments.amount}"}`, `{"n":9007199254740991}`},
		{`{"text": "amount: ${arguments.amount} of ${business_key}"}`, `{"text":"amount: 9007199254740991 of ch 1/2"}`},
		{`["${arguments.lines}", "${arguments.lines.1}", "${approval.id}", 7, null]`, `[["a",true],true,"ok",7,null]`},
		{`"${arguments}"`, `{"amount":9007199254740991,"lines":["a",true]}`},
		{`"${answer}"`, `null`},
		{`"$delivery ${} {delivery}"`, `"$delivery ${} {delivery}"`},
	} {
		got, err := handed(t).fill(decoded([]byte(c.body)))
		require.NoError(t, err, c.body)
		b, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, c.want, string(b))
	}
	for _, body := range []string{`"${arguments.nothing}"`, `{"a": ["x ${nothing}"]}`} {
		_, err := handed(t).fill(decoded([]byte(body)))
		require.ErrorContains(t, err, "has no such field", body)
	}
	path, err := handed(t).path("/charges/${business_key}/refunds/${delivery}")
	require.NoError(t, err)
	require.Equal(t, "/charges/ch%201%2F2/refunds/2", path)
}

func TestUnknown(t *testing.T) {
	known := []string{"action_id", "arguments"}
	require.Empty(t, Unknown(map[string]any{"a": []any{"${action_id} ${arguments.x.y}", 3}}, known))
	require.Equal(t, "amount", Unknown(map[string]any{"a": []any{"${amount}"}}, known))
	require.Equal(t, "action_id", Unknown(map[string]any{"${action_id}": 1}, known), "a name is no place for one")
}

func TestEach(t *testing.T) {
	type said struct {
		text  string
		whole bool
	}
	for _, c := range []struct {
		body string
		want []said
	}{
		{"", nil},
		{"{\"a\": 1}\n{\"b\":2}", []said{{`{"a":1}`, true}, {`{"b":2}`, true}}},
		{"[{\"a\":\n 1}, {\"b\": 2}]", []said{{`{"a":1}`, true}, {`{"b":2}`, true}}},
		{"[]", nil},
		{`{"a":1} and so on`, []said{{`{"a":1}`, true}, {" and so on", false}}},
		{"fine", []said{{"fine", false}}},
	} {
		var got []said
		each([]byte(c.body), func(text []byte, whole bool) { got = append(got, said{string(text), whole}) })
		require.Equal(t, c.want, got, c.body)
	}
}

func FuzzFill(f *testing.F) {
	f.Add(`{"a": "${arguments.amount}", "b": ["x ${delivery}"]}`)
	f.Add(`"${a.b.0}"`)
	f.Fuzz(func(t *testing.T, body string) {
		v := decoded([]byte(body))
		got, err := handed(t).fill(v)
		if err != nil {
			require.ErrorContains(t, err, "has no such field")
			return
		}
		if len(placeholders(body)) == 0 {
			require.Equal(t, v, got, "nothing to fill in")
		}
	})
}
