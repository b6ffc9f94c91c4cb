package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/internal/schema"
)

const text = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["name"],
  "properties": {
    "zeta": {"description": "first", "$ref": "#/$defs/size"},
    "name": {"description": "second", "type": "string"},
    "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "boolean"}}}},
    "map": {"type": "object", "propertyNames": {"enum": ["one", "two"]}, "additionalProperties": {"$ref": "#/$defs/size"}}
  },
  "$defs": {"size": {"title": "a size, 1 to 9", "type": "integer", "minimum": 1, "maximum": 9}}
}`

// told returns the first lines of what is told of a document.
func told(t *testing.T, in string) []string {
	t.Helper()
	s, err := schema.Compile([]byte(text))
	require.NoError(t, err)
	f, err := located.Read("f.yaml", []byte(in))
	require.NoError(t, err)
	var all []error
	for _, m := range s.Check(f) {
		all = append(all, m.Err)
	}
	var out []string
	if err := located.Join(all); err != nil {
		for line := range strings.Lines(err.Error()) {
			if strings.HasPrefix(line, "f.yaml:") {
				out = append(out, strings.TrimSpace(line))
			}
		}
	}
	return out
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"name: a\nzeta: 3\nlist: [{a: true}]\nmap: {one: 9}\n", nil},
		{"zeta: 10\n", []string{"f.yaml:1:1: the document has no name: expected a text", "f.yaml:1:7: zeta is 10: expected a size, 1 to 9"}},
		{"name: 1\nlist:\n  - {a: 2}\n  - 3\n", []string{
			"f.yaml:1:7: name is 1: expected a text", "f.yaml:3:9: a is 2: expected true or false", "f.yaml:4:5: list[1] is 3: expected keys with values"}},
		{"name: a\nmap:\n  three: 1\n  two: many\n", []string{
			`f.yaml:3:3: unknown key "three": expected one of one, two`, `f.yaml:4:8: two is "many": expected a size, 1 to 9`}},
		{"name: a\nlists: []\n", []string{`f.yaml:2:1: unknown key "lists": expected one of list, map, name, zeta`}},
		{"name:\n", []string{"f.yaml:1:1: name is nothing: expected a text"}},
		{"[1]\n", []string{"f.yaml:1:1: the document is a list: expected keys with values"}},
		{"name: .nan\n", []string{"f.yaml:1:7: name is NaN: expected a value that JSON has"}},
		{"name: " + strings.Repeat("x", 90), []string(nil)},
		{"zeta: " + strings.Repeat("é", 90) + "\nname: a", []string{`f.yaml:1:7: zeta is "` + strings.Repeat("é", 60) + `", and more: expected a size, 1 to 9`}},
	} {
		assert.Equal(t, c.want, told(t, c.in), c.in)
	}
}

// TestCheckIsBounded: aliases make a few lines stand for more values than memory
// holds.
func TestCheckIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	b.WriteString("name: a\nlist: *a11\n")
	assert.Equal(t, []string{"f.yaml:1:1: the document has more than 100000 values"}, told(t, b.String()))
}

func TestKeys(t *testing.T) {
	s, err := schema.Compile([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, []schema.Key{
		{Path: "zeta", Kind: "a size, 1 to 9", Doc: "first"},
		{Path: "name", Kind: "a text", Doc: "second", Required: true},
		{Path: "list", Kind: "a list, each keys with values"},
		{Path: "list[].a", Kind: "true or false"},
		{Path: "map", Kind: "keys with values"},
	}, s.Keys())
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []string{``, `{`, `{"type": "colour"}`, `{"$ref": "other.json"}`, `{"$ref": "#/$defs/none"}`} {
		_, err := schema.Compile([]byte(c))
		assert.ErrorContains(t, err, "schema: ", c)
	}
	assert.Panics(t, func() { schema.Must([]byte("{")) })
}
