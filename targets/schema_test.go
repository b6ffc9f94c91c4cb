package targets

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// agree holds a Go type and its schema together, key by key.
func agree(t *testing.T, root, node map[string]any, typ reflect.Type, at string) {
	t.Helper()
	for node["$ref"] != nil {
		name := strings.TrimPrefix(node["$ref"].(string), "#/$defs/")
		node = root["$defs"].(map[string]any)[name].(map[string]any)
	}
	want := map[reflect.Kind]string{
		reflect.String: "string", reflect.Int: "integer", reflect.Int64: "integer", reflect.Bool: "boolean",
		reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object",
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case typ.Kind() == reflect.Interface:
		return
	case typ == reflect.TypeFor[Reaction]():
		assert.Equal(t, []any{"object", "string"}, node["type"], at)
		return
	case typ == reflect.TypeFor[Events]():
		values := node["additionalProperties"].(map[string]any)
		agree(t, root, values, reflect.TypeFor[EventShape](), at+".NAME")
		assert.Contains(t, props(node), "source")
		return
	case node["enum"] != nil:
		assert.Equal(t, reflect.String, typ.Kind(), at)
		return
	}
	require.Equal(t, want[typ.Kind()], node["type"], at)
	switch typ.Kind() {
	case reflect.Slice:
		agree(t, root, node["items"].(map[string]any), typ.Elem(), at+"[]")
	case reflect.Map:
		values, free := node["additionalProperties"].(map[string]any)
		if free {
			agree(t, root, values, typ.Elem(), at+".NAME")
		}
		for name, p := range props(node) {
			agree(t, root, p.(map[string]any), typ.Elem(), at+"."+name)
		}
	case reflect.Struct:
		assert.Equal(t, false, node["additionalProperties"], "%s: the reader refuses unknown keys, and so does the schema", at)
		agreeFields(t, root, node, typ, at)
	}
}

func agreeFields(t *testing.T, root, node map[string]any, typ reflect.Type, at string) {
	var fields []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		require.NotEmpty(t, name, "%s.%s has no yaml name", at, f.Name)
		fields = append(fields, name)
		p, known := props(node)[name].(map[string]any)
		if !assert.True(t, known, "%s.%s is not in targets/profile.schema.json: add it there, with a description", at, name) {
			continue
		}
		agree(t, root, p, f.Type, at+"."+name)
	}
	for name := range props(node) {
		assert.Contains(t, fields, name, "%s: the schema has a key that the document's type has not", at)
	}
}

func props(node map[string]any) map[string]any {
	p, _ := node["properties"].(map[string]any)
	return p
}

func TestSchemaAgreesWithTheTypes(t *testing.T) {
	var root map[string]any
	require.NoError(t, json.Unmarshal(Schema, &root))
	agree(t, root, root, reflect.TypeFor[Document](), "profile")
	for _, k := range Keys() {
		assert.NotEmpty(t, k.Doc, "%s has no description", k.Path)
		assert.NotEmpty(t, k.Kind, k.Path)
	}
	classes := root["$defs"].(map[string]any)["error_class"].(map[string]any)["properties"].(map[string]any)["class"].(map[string]any)["enum"].([]any)
	var words []any
	for _, c := range harness.Classes {
		words = append(words, string(c))
	}
	assert.Equal(t, words, classes)
}

// TestSchemaDurations: what the schema calls a duration, the reader reads.
func TestSchemaDurations(t *testing.T) {
	for _, s := range []string{"0", "0s", "300ms", "1h30m", "1.5s", ".5s", "24h", "2µs", "", "soon", "5", "-1s", "1d", "1 s", "s"} {
		_, err := Parse([]byte("name: x\noperations: {create: {method: POST, path: /x}}\nlookup: {lag: \""+s+"\"}\n"), "f.yaml")
		var d harness.Duration
		assert.Equal(t, d.UnmarshalText([]byte(s)) == nil, err == nil, "%q: %v", s, err)
	}
}

const broken = `name: [my-api]
scoop: 1
idempotency:
  key: {header: X-Key, body: key, max: -1, malformed: shout}
  retention: soon
  scope: galaxy
  other_arguments: {status: 42, code: 7}
  stored: {executed: [success, often], never: [sometimes, 99, 1.5]}
  replay_header: {A: "1", B: "2"}
errors:
  - {status: many, class: perhaps}
  - 404
operations:
  create:
    method: BREW
    path: parcels
    json: {weight: "x${arguments.weight}"}
    unique: business_key
    accepts: {weight: {max: 3}}
    exactly_one: [size]
  find: {method: GET, path: /parcels, paging: {cursor: after}}
lookup: {by: [smell], lag: 99999999999h}
refusals: {spent: {code: gone}, tired: {status: 400}}
example: {arguments: {weight: 1.5}}
`

// TestAllMistakesAtOnce: every mistake of a document is told, in the order of their
// places, with what was expected and what came.
func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Parse([]byte(broken), "f.yaml")
	require.Error(t, err)
	var heads []string
	for line := range strings.Lines(err.Error()) {
		if strings.HasPrefix(line, "f.yaml:") {
			// Which keys and templates there are grows.
			line, _, _ = strings.Cut(strings.TrimSpace(line), ": expected one of about")
			line, _, _ = strings.Cut(line, ": expected one of absent")
			line, _, _ = strings.Cut(line, ": expected a constant")
			heads = append(heads, line)
		}
	}
	assert.Equal(t, []string{
		`f.yaml:1:7: name is a list: expected a name`,
		`f.yaml:2:1: unknown key "scoop"`,
		`f.yaml:4:3: idempotency has no same_arguments: expected one of replay, equivalent, re-execute`,
		`f.yaml:4:9: key has no missing: expected one of accept, refuse`,
		`f.yaml:4:40: max is -1: expected a length in characters, not negative`,
		`f.yaml:4:55: malformed is "shout": expected one of refuse, ignore`,
		`f.yaml:5:14: retention is "soon": expected a duration like 300ms or 24h`,
		`f.yaml:6:10: scope is "galaxy": expected one of account, endpoint, resource, none`,
		`f.yaml:7:29: status is 42: expected an HTTP status, 100 to 599`,
		`f.yaml:7:39: code is 7: expected a text`,
		`f.yaml:8:32: executed[1] is "often": expected one of success, error, 5xx`,
		`f.yaml:8:48: never[0] is "sometimes": expected validation or an HTTP status`,
		`f.yaml:8:59: never[1] is 99: expected an HTTP status, 100 to 599`,
		`f.yaml:8:63: never[2] is 1.5: expected validation or an HTTP status`,
		`f.yaml:9:19: replay_header is a mapping of 2: expected one header with its value`,
		`f.yaml:11:14: status is "many": expected an HTTP status, 100 to 599`,
		`f.yaml:11:27: class is "perhaps": expected one of never_dispatched, rejected_transient, rejected_permanent, confirmed, unknown`,
		`f.yaml:12:5: errors[1] is 404: expected keys with values`,
		`f.yaml:15:13: method is "BREW": expected one of GET, POST, PUT, PATCH, DELETE, DATA, UPDATE, QUERY`,
		`f.yaml:16:11: path is "parcels": expected a path that begins with /`,
		`f.yaml:17:20: "x${arguments.weight}" is no template`,
		`f.yaml:18:13: unique needs exists: the answer to one that is taken`,
		`f.yaml:19:24: weight has no type: expected one of string, integer, boolean, map, list, object`,
		`f.yaml:20:19: "size" is not among accepts`,
		`f.yaml:21:48: paging has no more: expected a field`,
		`f.yaml:21:48: paging needs items`,
		`f.yaml:22:15: by[0] is "smell": expected one of business_key, key, reference, id`,
		`f.yaml:22:28: "99999999999h" is no duration: expected one like 300ms`,
		`f.yaml:23:20: spent has no status: expected an HTTP status, 100 to 599`,
		`f.yaml:23:33: unknown key "tired"`,
		`f.yaml:24:31: arguments must be strings, booleans and integers below 2^53: /weight is 1.5 (float64)`,
	}, heads)
}

// TestMistakesOfMeaningBesideMistakesOfForm: an unknown key here hides no broken
// template there.
func TestMistakesOfMeaningBesideMistakesOfForm(t *testing.T) {
	b, err := profiles.ReadFile("profiles/stripe-v1.yaml")
	require.NoError(t, err)
	text := strings.NewReplacer("class: unknown", "class: perhaps", "scope: account", "scoop: account",
		"amount: ${arguments.amount}", "amount: ${amount}", "reference: metadata[action_id]", "reference: metadata[").Replace(string(b))
	_, err = Parse([]byte(text), "mine.yaml")
	require.Error(t, err)
	for _, want := range []string{`"perhaps"`, `unknown key "scoop"`, "has no scope", "is no template", "is no field"} {
		assert.Contains(t, err.Error(), want)
	}
	places := slices.Collect(strings.Lines(err.Error()))
	assert.Contains(t, places[1], "|", "a caret excerpt")
}
