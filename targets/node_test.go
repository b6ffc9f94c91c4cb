package targets

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNest(t *testing.T) {
	b, err := json.Marshal(Nest(map[string]any{
		"units[0].amount.value": "10.99", "units[0].id": "u1", "units[1].id": "u2", "metadata[action_id]": "act",
		"odd[1].id": "x", "kept": map[string]any{"0": "as it is"},
	}))
	require.NoError(t, err)
	assert.JSONEq(t, `{"units":[{"amount":{"value":"10.99"},"id":"u1"},{"id":"u2"}],"metadata":{"action_id":"act"},
		"odd":{"1":{"id":"x"}},"kept":{"0":"as it is"}}`, string(b))
}

func TestListsAreReadBack(t *testing.T) {
	p, err := Builtin("paypal-orders")
	require.NoError(t, err)
	a := p.DefaultAction()
	raw, err := p.Request("create", "", Write{Key: "k", ActionID: "act", BusinessKey: a.BusinessKey, Arguments: a.Arguments})
	require.NoError(t, err)
	assert.Contains(t, string(raw.Body), `"purchase_units":[{`)
	got := *p.Namer().Name(raw)
	assert.Equal(t, []string{"act", a.BusinessKey, p.Namer().Digest(a.Arguments)}, []string{got.Reference, got.BusinessKey, got.Arguments})
}

func TestEveryProfile(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p, err := Builtin(name)
			require.NoError(t, err)
			assert.Equal(t, name, p.Name)
			assert.NotEmpty(t, p.About)
			assert.NotEmpty(t, p.Source)
			a := p.DefaultAction()
			assert.NotEmpty(t, a.Changed)
			require.NoError(t, p.CheckAction(a))
			w := Write{Key: "key", ActionID: "act", BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: map[string]string{}}
			for _, step := range p.Steps() {
				w.Made[step] = "made-by-" + step
			}
			raw, err := p.Request("create", "", w)
			require.NoError(t, err)
			got := *p.Namer().Name(raw)
			assert.Equal(t, "create", got.Op)
			assert.Equal(t, a.BusinessKey, got.BusinessKey)
			if len(p.Steps()) == 1 {
				assert.Equal(t, p.Namer().Digest(a.Arguments), got.Arguments)
			}
			assert.Equal(t, p.Reference != "", got.Reference == "act")
			assert.Equal(t, p.Promises().Key.Kept, got.Key == "key")
			for _, status := range []int{400, 401, 402, 404, 409, 422, 429, 500, 503} {
				e := p.Namer().Error(status, "")
				read := *p.Namer().Answer(got.Op, e)
				assert.False(t, read.Opaque, "%d: %s", status, e.Body)
			}
		})
	}
}
