package lint

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// fields reads the keys of one mapping strictly: a key that the format does not
// have is a mistake, since a misspelled bound is no bound. The first mistake stays.
type fields struct {
	d    *document
	node *node
	err  error
	seen map[string]*entry
}

// camel writes a name as protobuf's JSON does. Both spellings are the same field
// (https://protobuf.dev/programming-guides/json/), and so is Go's exported one, which
// encoding/json takes.
func camel(name string) string {
	var b strings.Builder
	up := false
	for i, r := range name {
		switch {
		case i == 0:
			b.WriteRune(unicode.ToLower(r))
		case r == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// read takes a mapping whose keys are all among known, in any spelling.
func read(d *document, n *node, what string, known ...string) *fields {
	f := &fields{d: d, node: n, seen: map[string]*entry{}}
	if n.kind != mapping {
		f.fail(n.Place, "%s is no mapping", what)
		return f
	}
	for i := range n.keys {
		e := &n.keys[i]
		name := camel(e.name)
		ok := false
		for _, k := range known {
			ok = ok || camel(k) == name
		}
		switch {
		case !ok:
			f.fail(e.Place, "%s has no field %q: expected one of %s", what, e.name, strings.Join(known, ", "))
		case f.seen[name] != nil:
			f.fail(e.Place, "%s stands here a second time", name)
		}
		f.seen[name] = e
	}
	return f
}

func (f *fields) fail(at Place, format string, args ...any) {
	if f.err == nil {
		f.err = f.d.errorf(at, format, args...)
	}
}

// at is where the field stands, or where the mapping begins.
func (f *fields) at(name string) Place {
	if e := f.seen[camel(name)]; e != nil {
		return e.Place
	}
	return f.node.Place
}

func (f *fields) has(name string) bool {
	e := f.seen[camel(name)]
	return e != nil && !e.value.null
}

// get is the value of a field, or nil.
func (f *fields) get(name string) *node {
	if !f.has(name) {
		return nil
	}
	return f.seen[camel(name)].value
}

// text is a scalar, or what stands instead of it.
func (f *fields) text(name, missing string) string {
	n := f.get(name)
	switch {
	case n == nil:
		return missing
	case n.kind != scalar:
		f.fail(n.Place, "%s is no single value", name)
		return missing
	}
	return n.scalar
}

// count is a whole number of at least low.
func (f *fields) count(name string, missing, low int) int {
	n := f.get(name)
	if n == nil {
		return missing
	}
	v, err := strconv.Atoi(strings.TrimSpace(n.scalar))
	if n.kind != scalar || err != nil || v < low || v > math.MaxInt32 {
		f.fail(n.Place, "%s is %q: expected a whole number of at least %d", name, n.scalar, low)
		return missing
	}
	return v
}

// factor is a number above low and at most 1000.
func (f *fields) factor(name string, missing, low float64) float64 {
	n := f.get(name)
	if n == nil {
		return missing
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(n.scalar), 64)
	if n.kind != scalar || err != nil || math.IsNaN(v) || v < low || v > 1000 {
		f.fail(n.Place, "%s is %q: expected a number from %v to 1000", name, n.scalar, low)
		return missing
	}
	return v
}

// yes is true or false.
func (f *fields) yes(name string) bool {
	switch s := f.text(name, "false"); s {
	case "true":
		return true
	case "false":
	default:
		f.fail(f.get(name).Place, "%s is %q: expected true or false", name, s)
	}
	return false
}

// span is a duration as Go, protobuf ("1.5s") and Istio write it; a plain number
// counts units.
func (f *fields) span(name string, missing, unit time.Duration) time.Duration {
	n := f.get(name)
	if n == nil {
		return missing
	}
	v, ok := duration(strings.TrimSpace(n.scalar), unit)
	if n.kind != scalar || !ok {
		f.fail(n.Place, "%s: %q is no duration: expected one like 1.5s, not negative", name, n.scalar)
		return missing
	}
	return v
}

// longestSpan keeps sums of waits within a time.Duration.
const longestSpan = 10 * 366 * 24 * time.Hour

// times is d n times, up to the longest span.
func times(d time.Duration, n int) time.Duration {
	if n > 0 && d > longestSpan/time.Duration(n) {
		return longestSpan
	}
	return d * time.Duration(n)
}

func duration(s string, unit time.Duration) (time.Duration, bool) {
	if v, err := strconv.ParseFloat(s, 64); err == nil && unit > 0 {
		if math.IsNaN(v) || v < 0 || v*float64(unit) > float64(longestSpan) {
			return 0, false
		}
		return time.Duration(v * float64(unit)), true
	}
	v, err := time.ParseDuration(s)
	return v, err == nil && v >= 0 && v <= longestSpan
}

// list is the scalars of a list.
func (f *fields) list(name string) []*node {
	n := f.get(name)
	switch {
	case n == nil:
		return nil
	case n.kind != sequence:
		f.fail(n.Place, "%s is no list", name)
		return nil
	}
	for _, item := range n.items {
		if item.kind != scalar || item.null {
			f.fail(item.Place, "%s holds something that is no single value", name)
			return nil
		}
	}
	return n.items
}

// each calls visit for every mapping of every tree, as walk does, until one fails.
func (c content) each(visit func(path []string, n *node) error) (err error) {
	for _, tree := range c.trees {
		walk(tree, nil, func(path []string, n *node) {
			if err == nil {
				err = visit(path, n)
			}
		})
	}
	return err
}

// walk calls visit for every mapping below n, the outer ones first, with the names
// that lead there.
func walk(n *node, path []string, visit func([]string, *node)) {
	if n.kind == mapping {
		visit(path, n)
	}
	for _, e := range n.keys {
		walk(e.value, append(path[:len(path):len(path)], e.name), visit)
	}
	for i, item := range n.items {
		walk(item, append(path[:len(path):len(path)], itoa(i+1)), visit)
	}
}

// key returns the value under a name in either spelling, or nil.
func (n *node) key(name string) *entry {
	for i := range n.keys {
		if camel(n.keys[i].name) == camel(name) {
			return &n.keys[i]
		}
	}
	return nil
}
