// Package located reads the project's YAML files so that every mistake in one is
// told with file, line, column and a caret: those that the YAML reader finds, and
// those that only the meaning shows (a fault that does not parse, a need that
// nobody knows).
package located

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Error is one mistake in a file. Line and column count from 1.
type Error struct {
	File         string
	Line, Column int
	Reason       string
	// Text is the line in which it stands.
	Text string
	Err  error
}

// Error prints the place and the reason, and below them the line with a caret.
func (e *Error) Error() string {
	head := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
	if strings.TrimSpace(e.Text) == "" {
		return head
	}
	number := fmt.Sprintf("%5d", e.Line)
	return fmt.Sprintf("%s\n%s | %s\n%s | %s^", head, number, e.Text,
		strings.Repeat(" ", len(number)), strings.Repeat(" ", max(0, e.Column-1)))
}

// Unwrap returns the error that the mistake led to, where there is one.
func (e *Error) Unwrap() error { return e.Err }

// Join puts the mistakes of one file in the order of their places; what is said
// twice of one place is said once.
func Join(all []error) error {
	slices.SortStableFunc(all, func(a, b error) int {
		x, y := place(a), place(b)
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), cmp.Compare(x.Reason, y.Reason))
	})
	all = slices.CompactFunc(all, func(a, b error) bool { return a.Error() == b.Error() })
	return errors.Join(all...)
}

func place(err error) (at Error) {
	var e *Error
	if errors.As(err, &e) {
		at = *e
	}
	return at
}

// File is one file that was read.
type File struct {
	name  string
	text  []byte
	lines []string
	root  ast.Node
}

// Decode reads one YAML document into v. Unknown keys, doubled keys, wrong types
// and a second document are refused with an [*Error].
func Decode(name string, b []byte, v any) (*File, error) {
	f, err := Read(name, b)
	if err != nil {
		return nil, err
	}
	if err := f.Decode(v, yaml.Strict()); err != nil {
		return nil, err
	}
	return f, nil
}

// Read reads one YAML document and gives it no type yet. What is no YAML, doubled
// keys and a second document are refused with an [*Error].
func Read(name string, b []byte) (f *File, err error) {
	f = &File{name: name, text: b, lines: strings.Split(string(b), "\n")}
	// The YAML reader panics on some broken documents.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, f.at(1, 1, fmt.Sprintf("this is no YAML document: %v", r), nil)
		}
	}()
	if err := f.bounded(); err != nil {
		return nil, err
	}
	tree, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, f.reader(err)
	}
	switch {
	case len(tree.Docs) == 0 || tree.Docs[0].Body == nil:
		return nil, f.at(1, 1, "the file is empty", nil)
	case len(tree.Docs) > 1:
		p := tree.Docs[1].Start.Position
		return nil, f.at(p.Line, p.Column, "a second document begins here: one is expected", nil)
	}
	f.root = tree.Docs[0].Body
	return f, nil
}

// Decode puts the document into v. After a mistake of type the rest of v is filled
// as far as it could be read.
func (f *File) Decode(v any, o ...yaml.DecodeOption) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = f.at(1, 1, fmt.Sprintf("this is no YAML document: %v", r), nil)
		}
	}()
	if err := yaml.UnmarshalWithOptions(f.text, v, o...); err != nil {
		return f.reader(err)
	}
	return nil
}

// reader turns an error of the YAML reader into an *Error.
func (f *File) reader(err error) error {
	var ye yaml.Error
	if !errors.As(err, &ye) {
		return f.at(1, 1, err.Error(), err)
	}
	line, column := 1, 1
	if t := ye.GetToken(); t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	return f.at(line, column, ye.GetMessage(), err)
}

// Errorf places a mistake at the value that the path leads to: strings are keys,
// ints are indices. Where the path ends early, the last node found is meant. A
// %w in the format is kept.
func (f *File) Errorf(path []any, format string, args ...any) error {
	return f.errorf(f.find(path), format, args...)
}

// KeyErrorf is [File.Errorf] at the key that the path ends with, not at its value.
func (f *File) KeyErrorf(path []any, format string, args ...any) error {
	place := f.find(path)
	if kv := f.key(path); kv != nil {
		place = kv.Key.GetToken().Position
	}
	return f.errorf(place, format, args...)
}

func (f *File) errorf(p *token.Position, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return f.at(p.Line, p.Column, err.Error(), errors.Unwrap(err))
}

func (f *File) at(line, column int, reason string, err error) *Error {
	e := &Error{File: f.name, Line: line, Column: column, Reason: reason, Err: err}
	if line >= 1 && line <= len(f.lines) {
		e.Text = strings.TrimRight(f.lines[line-1], "\r")
	}
	return e
}

func (f *File) find(path []any) *token.Position {
	node, place := f.root, start(f.root)
	for _, step := range path {
		next := (ast.Node)(nil)
		switch s := step.(type) {
		case string:
			if kv := member(node, s); kv != nil {
				next, place = kv.Value, kv.Key.GetToken().Position
			}
		case int:
			if seq, ok := node.(*ast.SequenceNode); ok && s < len(seq.Values) {
				next = seq.Values[s]
			}
		}
		if next == nil {
			return place
		}
		node = next
		if _, null := next.(*ast.NullNode); !null {
			place = start(next)
		}
	}
	return place
}

// key returns the member that the path ends with, or nil.
func (f *File) key(path []any) *ast.MappingValueNode {
	node := f.root
	for i, step := range path {
		switch s := step.(type) {
		case string:
			kv := member(node, s)
			if kv == nil || i == len(path)-1 {
				return kv
			}
			node = kv.Value
		case int:
			seq, ok := node.(*ast.SequenceNode)
			if !ok || s >= len(seq.Values) {
				return nil
			}
			node = seq.Values[s]
		}
	}
	return nil
}

func member(n ast.Node, name string) *ast.MappingValueNode {
	var out *ast.MappingValueNode
	for _, kv := range mapping(n) {
		if kv.Key.String() == name || unquoted(kv.Key) == name {
			out = kv
		}
	}
	return out
}

// start is where a node begins: a mapping at its first key, not at its colon.
func start(n ast.Node) *token.Position {
	if kvs := mapping(n); len(kvs) > 0 {
		return kvs[0].Key.GetToken().Position
	}
	if n == nil || n.GetToken() == nil {
		return &token.Position{Line: 1, Column: 1}
	}
	return n.GetToken().Position
}

func mapping(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}

func unquoted(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.String()
}
