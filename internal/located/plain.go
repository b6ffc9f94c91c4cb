package located

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Plain asks refuse about every text without quotes below a member, and returns the
// first reason with its place. Which of them is a number depends on the reader.
func (f *File) Plain(path []any, refuse func(text string) (reason string)) error {
	kv := f.key(path)
	if kv == nil {
		return nil
	}
	return f.plain(kv.Value, refuse)
}

func (f *File) plain(n ast.Node, refuse func(string) string) error {
	for _, kv := range mapping(n) {
		if err := f.plain(kv.Value, refuse); err != nil {
			return err
		}
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			if err := f.plain(v, refuse); err != nil {
				return err
			}
		}
	case *ast.StringNode:
		if n.Token.Type != token.StringType {
			return nil
		}
		if reason := refuse(n.Value); reason != "" {
			return f.errorf(start(n), "%s", reason)
		}
	}
	return nil
}
