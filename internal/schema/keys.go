package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// Key is one key of a document.
type Key struct {
	// Path is how it is reached, like operations.NAME.paging.cursor. NAME is a key that
	// the document chooses.
	Path string
	// Kind says what its value is, Doc what it means.
	Kind, Doc string
	Required  bool
}

// Keys lists every key that the schema knows, what is below a key after it. Sections
// stand in the order in which the schema's text has them.
func (s *Schema) Keys() []Key {
	var out []Key
	s.keys(s.node("#"), "", &out)
	return out
}

func (s *Schema) keys(node map[string]any, above string, out *[]Key) {
	required, _ := node["required"].([]any)
	props := properties(node)
	for _, name := range s.order(props) {
		child := s.deref(props[name])
		doc, _ := child["description"].(string)
		*out = append(*out, Key{above + name, s.kind(child), doc, slices.Contains(required, any(name))})
		s.below(child, above+name, out)
	}
}

func (s *Schema) below(child map[string]any, path string, out *[]Key) {
	if items := s.deref(child["items"]); items != nil {
		s.keys(items, path+"[].", out)
	}
	if named, ok := child["additionalProperties"].(map[string]any); ok {
		s.keys(s.deref(named), path+".NAME.", out)
	}
	s.keys(child, path+".", out)
}

// kind words what a value is.
func (s *Schema) kind(node map[string]any) string {
	if words, ok := node["enum"].([]any); ok {
		return s.expected(map[string]any{"enum": words})
	}
	if t, ok := node["title"].(string); ok {
		return t
	}
	name, _ := node["type"].(string)
	if name == "array" {
		if items := s.deref(node["items"]); items != nil {
			return "a list, each " + s.kind(items)
		}
	}
	return kinds[name]
}

// order returns the keys as the schema's text has them: a decoded object forgets it.
func (s *Schema) order(props map[string]any) []string {
	return s.orders[reflect.ValueOf(props).Pointer()]
}

// ordered decodes JSON and notes the order of each object's keys.
func ordered(text []byte) (doc any, orders map[uintptr][]string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	orders = map[uintptr][]string{}
	doc, err = orderedValue(d, orders)
	return doc, orders, err
}

func orderedValue(d *json.Decoder, orders map[uintptr][]string) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		m, keys := map[string]any{}, []string{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if m[name], err = orderedValue(d, orders); err != nil {
				return nil, err
			}
			keys = append(keys, name)
		}
		orders[reflect.ValueOf(m).Pointer()] = keys
		_, err = d.Token()
		return m, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := orderedValue(d, orders)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}
