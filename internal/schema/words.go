package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/retrydrill/drill/internal/located"
)

var english = message.NewPrinter(language.English)

// told words one mistake. A schema's own title says what is expected there, so that
// nobody has to read a regular expression.
func (s *Schema) told(f *located.File, tree any, e *jsonschema.ValidationError) []Mistake {
	at, value := path(tree, e.InstanceLocation)
	here := called(at)
	node := s.node(e.SchemaURL)
	one := func(shape bool, format string, args ...any) []Mistake {
		return []Mistake{{at, shape, f.Errorf(at, format, args...)}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		var out []Mistake
		known := strings.Join(slices.Sorted(maps.Keys(properties(node))), ", ")
		for _, key := range slices.Sorted(slices.Values(k.Properties)) {
			under := append(slices.Clone(at), key)
			out = append(out, Mistake{under, false, f.KeyErrorf(under, "unknown key %q: expected one of %s", key, known)})
		}
		return out
	case *kind.PropertyNames:
		under := append(holder(tree, len(e.InstanceLocation), k.Property), k.Property)
		return []Mistake{{under, false, f.KeyErrorf(under, "unknown key %q: expected %s", k.Property, s.expected(node))}}
	case *kind.Required:
		var out []Mistake
		for _, key := range k.Missing {
			under := append(slices.Clone(at), key)
			out = append(out, Mistake{under, false, f.Errorf(at, "%s has no %s: expected %s", here, key, s.expected(s.property(e.SchemaURL, key)))})
		}
		return out
	case *kind.InvalidJsonValue:
		return one(true, "%s is %s: expected a value that JSON has", here, spell(value))
	case *kind.Type:
		return one(true, "%s is %s: expected %s", here, spell(value), title(node, types(k.Want)))
	case *kind.Enum:
		return one(false, "%s is %s: expected %s", here, spell(value), s.expected(node))
	}
	return one(false, "%s is %s: expected %s", here, spell(value), title(node, e.ErrorKind.LocalizedString(english)))
}

// holder leads to the first object at a depth that has the key. The place that comes
// with a wrong name is good for its depth alone: the validator (v6.0.3) goes on to write
// the places of other values over it.
func holder(tree any, depth int, key string) []any {
	switch node := tree.(type) {
	case map[string]any:
		if depth == 0 {
			if _, has := node[key]; has {
				return []any{}
			}
			return nil
		}
		for _, k := range slices.Sorted(maps.Keys(node)) {
			if below := holder(node[k], depth-1, key); below != nil {
				return append([]any{k}, below...)
			}
		}
	case []any:
		for i, v := range node {
			if below := holder(v, depth-1, key); depth > 0 && below != nil {
				return append([]any{i}, below...)
			}
		}
	}
	return nil
}

// node returns the schema that a URL with a JSON pointer means, or nil.
func (s *Schema) node(url string) map[string]any {
	_, pointer, _ := strings.Cut(url, "#")
	here := s.doc
	unescape := strings.NewReplacer("~1", "/", "~0", "~", "%24", "$", "%7B", "{", "%7D", "}")
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		switch at := here.(type) {
		case map[string]any:
			here = at[unescape.Replace(step)]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil
			}
			here = at[i]
		default:
			return nil
		}
	}
	m, _ := here.(map[string]any)
	return m
}

// property returns a property of the schema at the URL, or of the one that it is a
// condition of.
func (s *Schema) property(url, name string) any {
	for _, part := range []string{"/then", "/else"} {
		url = strings.TrimSuffix(url, part)
	}
	return properties(s.node(url))[name]
}

// called names a place: its key, or its list with the index.
func called(at []any) string {
	if len(at) == 0 {
		return "the document"
	}
	last := at[len(at)-1]
	if _, index := last.(int); index && len(at) > 1 {
		return fmt.Sprintf("%s[%d]", called(at[:len(at)-1]), last)
	}
	return fmt.Sprint(last)
}

// deref follows a reference within the document; what stands beside it wins.
func (s *Schema) deref(node any) map[string]any {
	m, _ := node.(map[string]any)
	ref, ok := m["$ref"].(string)
	if !ok {
		return m
	}
	out := maps.Clone(s.node(ref))
	for k, v := range m {
		if k != "$ref" {
			out[k] = v
		}
	}
	return out
}

// expected says what a property is.
func (s *Schema) expected(property any) string {
	m := s.deref(property)
	if t, ok := m["title"].(string); ok {
		return t
	}
	if words, ok := m["enum"].([]any); ok {
		out := make([]string, len(words))
		for i, w := range words {
			out[i] = fmt.Sprint(w)
		}
		return "one of " + strings.Join(out, ", ")
	}
	kind, _ := m["type"].(string)
	return types([]string{kind})
}

func properties(node map[string]any) map[string]any {
	m, _ := node["properties"].(map[string]any)
	return m
}

func title(node map[string]any, otherwise string) string {
	if t, ok := node["title"].(string); ok {
		return t
	}
	return otherwise
}

// kinds are JSON's types as a person calls them.
var kinds = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "keys with values", "null": "nothing", "": "a value",
}

func types(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = kinds[n]
	}
	return strings.Join(out, " or ")
}

// spell writes what came, briefly.
func spell(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return fmt.Sprintf("a mapping of %d", len(x))
	case []any:
		return "a list"
	case string:
		if r := []rune(x); len(r) > 60 {
			return fmt.Sprintf("%q, and more", string(r[:60]))
		}
		return fmt.Sprintf("%q", x)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
