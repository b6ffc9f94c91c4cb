// Package schema holds a YAML document to its JSON Schema. Every mistake is told at
// once, each with file, line, column, what was expected and what came.
package schema

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/retrydrill/drill/internal/located"
)

// Schema is a compiled JSON Schema (2020-12) with the document that it came from.
type Schema struct {
	compiled *jsonschema.Schema
	doc      any
	// orders are the keys of the document's objects, as its text has them.
	orders map[uintptr][]string
}

// Must compiles a schema that comes with drill; one that is none panics.
func Must(text []byte) *Schema {
	s, err := Compile(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Compile reads a schema. One that refers to another document is refused.
func Compile(text []byte) (*Schema, error) {
	doc, orders, err := ordered(text)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	const at = "schema.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(alone{})
	if err := c.AddResource(at, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile(at)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{compiled, doc, orders}, nil
}

// alone loads nothing.
type alone struct{}

func (alone) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is another document", url)
}

// Mistake is one place at which a document is not of its schema.
type Mistake struct {
	// Path leads to the value, also where it is missing: strings are keys, ints are
	// indices.
	Path []any
	// Shape: the value is of another type than the one that is expected, so that
	// nothing can be read from it.
	Shape bool
	// Err has the place in the file.
	Err error
}

// Check returns every mistake of the file, in no order.
func (s *Schema) Check(f *located.File) []Mistake {
	var tree any
	if err := f.Decode(&tree); err != nil {
		return []Mistake{{Err: err, Shape: true}}
	}
	if size(tree, maxNodes) > maxNodes {
		return []Mistake{{Err: f.Errorf(nil, "the document has more than %d values", maxNodes), Shape: true}}
	}
	err := s.compiled.Validate(tree)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return []Mistake{{Err: f.Errorf(nil, "%w", err), Shape: true}}
	}
	var out []Mistake
	for _, leaf := range leaves(invalid) {
		out = append(out, s.told(f, tree, leaf)...)
	}
	return out
}

// maxNodes bounds the values of a document, those that aliases repeat counted each
// time: a few lines can stand for billions.
const maxNodes = 100_000

// size counts values, and no further than the bound.
func size(tree any, bound int) int {
	n := 1
	switch x := tree.(type) {
	case map[string]any:
		for _, v := range x {
			if n += size(v, bound-n); n > bound {
				break
			}
		}
	case []any:
		for _, v := range x {
			if n += size(v, bound-n); n > bound {
				break
			}
		}
	}
	return n
}

// leaves are the mistakes that have no closer cause.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	// The cause of a wrong name has no place of its own.
	if _, name := e.ErrorKind.(*kind.PropertyNames); name || len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}

// path turns the steps of a JSON pointer into keys and indices, as the document has
// them, and returns the value at their end.
func path(tree any, steps []string) (out []any, value any) {
	for _, s := range steps {
		switch node := tree.(type) {
		case []any:
			i, err := strconv.Atoi(s)
			if err != nil || i < 0 || i >= len(node) {
				return out, tree
			}
			out, tree = append(out, i), node[i]
		case map[string]any:
			out, tree = append(out, s), node[s]
		default:
			return out, tree
		}
	}
	return out, tree
}
