package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

const pointPackage = "github.com/retrydrill/drill/internal/shake/point"

// site is a place before a statement.
type site struct {
	File string
	Line int
}

func (s site) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// shaken puts a point before each statement of a file, numbered from first on. What
// stands in a line stays in that line. Without any statement it returns the file as it is.
func shaken(name string, src []byte, first int) (out []byte, sites []site, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("shake: %w", err)
	}
	done := fset.Position(file.Name.End()).Offset
	for _, at := range statements(file) {
		p := fset.Position(at)
		if len(sites) == 0 {
			out = fmt.Appendf(out, "%s; import shakepoint %q", src[:done], pointPackage)
		}
		out = fmt.Appendf(out, "%sshakepoint.Here(%d);", src[done:p.Offset], first+len(sites))
		sites, done = append(sites, site{name, p.Line}), p.Offset
	}
	if len(sites) == 0 {
		return src, nil, nil
	}
	return append(out, src[done:]...), sites, nil
}

// statements are where the statements of a file begin, in order.
func statements(file *ast.File) (at []token.Pos) {
	add := func(list []ast.Stmt) {
		for _, s := range list {
			switch s.(type) {
			case *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt:
			default:
				at = append(at, s.Pos())
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			add(n.List)
		case *ast.CaseClause:
			add(n.Body)
		case *ast.CommClause:
			add(n.Body)
		}
		return true
	})
	slices.Sort(at)
	return slices.Compact(at)
}
