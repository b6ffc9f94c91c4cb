package lint

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/retrydrill/drill/internal/located"
)

// node is a value of a YAML or JSON document with its place. Aliases are followed.
type node struct {
	Place
	// scalar is the text of a value that is neither a mapping nor a list.
	scalar string
	null   bool
	keys   []entry
	items  []*node
	kind   kind
}

type kind int

const (
	scalar kind = iota
	mapping
	sequence
)

type entry struct {
	name string
	Place
	value *node
}

// Bounds on what a document may hold once its aliases are followed: one of a few
// lines can otherwise stand for billions of values (CVE-2003-1564).
const (
	maxNodes = 100_000
	maxDepth = located.MaxDepth
	maxBytes = located.MaxBytes
)

// document is a text that is read, for errors that show it.
type document struct {
	name  string
	lines []string
}

func newDocument(name string, b []byte) *document {
	return &document{name: name, lines: strings.Split(string(b), "\n")}
}

func (d *document) errorf(at Place, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	at = at.or(Place{1, 1})
	e := &located.Error{File: d.name, Line: at.Line, Column: at.Column, Reason: err.Error(), Err: errors.Unwrap(err)}
	if at.Line <= len(d.lines) {
		e.Text = strings.TrimRight(d.lines[at.Line-1], "\r")
	}
	return e
}

// trees reads every YAML document of a text; JSON is one.
func (d *document) trees(b []byte) (out []*node, err error) {
	// The parser is given anything; what it does not survive is no document.
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, d.errorf(Place{}, "the document can not be parsed: %v", r)
		}
	}()
	if line, column, deep := located.TooDeep(b); deep {
		return nil, d.errorf(Place{line, column}, "the document is too deep: more than %d levels", maxDepth)
	}
	f, err := parser.ParseBytes(untabbed(b), 0)
	if err != nil {
		var ye yaml.Error
		at := Place{}
		if errors.As(err, &ye) {
			if t := ye.GetToken(); t != nil && t.Position != nil {
				at = Place{t.Position.Line, t.Position.Column}
			}
			return nil, d.errorf(at, "%s", ye.GetMessage())
		}
		return nil, d.errorf(at, "%v", err)
	}
	for _, doc := range f.Docs {
		if doc.Body == nil {
			continue
		}
		b := &builder{d: d, anchors: map[string]ast.Node{}, open: map[string]bool{}}
		n, err := b.build(doc.Body, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		return nil, d.errorf(Place{}, "the file is empty")
	}
	return out, nil
}

// untabbed makes JSON that is indented with tabs into YAML, keeping every column.
func untabbed(b []byte) []byte {
	trimmed := bytes.TrimLeft(b, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return b
	}
	out := bytes.Clone(b)
	quoted, escaped := false, false
	for i, c := range out {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == '\t' && !quoted:
			out[i] = ' '
		}
	}
	return out
}

// builder turns the parser's tree into nodes.
type builder struct {
	d       *document
	anchors map[string]ast.Node
	open    map[string]bool
	count   int
}

func (b *builder) build(n ast.Node, depth int) (*node, error) {
	out := &node{Place: placeOf(n)}
	b.count++
	if b.count > maxNodes || depth > maxDepth {
		return nil, b.d.errorf(out.Place, "the document is too large or too deep")
	}
	switch v := n.(type) {
	case nil:
		out.null = true
	case *ast.AnchorNode:
		name := v.Name.String()
		b.anchors[name] = v.Value
		b.open[name] = true
		defer delete(b.open, name)
		return b.build(v.Value, depth+1)
	case *ast.AliasNode:
		name := v.Value.String()
		target, ok := b.anchors[name]
		switch {
		case !ok:
			return nil, b.d.errorf(out.Place, "there is no anchor %q", name)
		case b.open[name]:
			return nil, b.d.errorf(out.Place, "*%s stands within itself: a cycle", name)
		}
		b.open[name] = true
		defer delete(b.open, name)
		return b.build(target, depth+1)
	case *ast.TagNode:
		return b.build(v.Value, depth+1)
	case *ast.MappingNode:
		return b.mapping(out, v.Values, depth)
	case *ast.MappingValueNode:
		return b.mapping(out, []*ast.MappingValueNode{v}, depth)
	case *ast.SequenceNode:
		out.kind = sequence
		for _, item := range v.Values {
			child, err := b.build(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, child)
		}
	case *ast.NullNode:
		out.null = true
	case *ast.StringNode:
		out.scalar = v.Value
	case *ast.LiteralNode:
		out.scalar = v.Value.Value
	default:
		out.scalar = v.String()
	}
	return out, nil
}

func (b *builder) mapping(out *node, values []*ast.MappingValueNode, depth int) (*node, error) {
	out.kind = mapping
	seen := make(map[string]bool, len(values))
	for i, kv := range values {
		name, at := kv.Key.String(), placeOf(kv.Key)
		if s, ok := kv.Key.(*ast.StringNode); ok {
			name = s.Value
		}
		if i == 0 && at.Line > 0 {
			out.Place = at
		}
		child, err := b.build(kv.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if child.null && child.Line == 0 {
			child.Place = at
		}
		if seen[name] && name != "<<" {
			return nil, b.d.errorf(at, "%s stands here a second time", name)
		}
		seen[name] = true
		out.keys = append(out.keys, entry{name, at, child})
	}
	return out, nil
}

func placeOf(n ast.Node) Place {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return Place{}
	}
	p := n.GetToken().Position
	return Place{max(1, p.Line), max(1, p.Column)}
}
