package targets

import (
	"strconv"
	"strings"
)

// node is a JSON object that is built field by field. One whose keys are 0, 1, 2 and
// so on comes out as a list, so that items[0].sku is a field like any other.
type node map[string]any

// put sets a value; what is in the way is replaced.
func (n node) put(steps []string, value any) {
	for _, s := range steps[:len(steps)-1] {
		next, ok := n[s].(node)
		if !ok {
			next = node{}
			n[s] = next
		}
		n = next
	}
	n[steps[len(steps)-1]] = value
}

// json returns the tree as lists and objects. Values that were put are left as they
// are.
func (n node) json() any {
	list := make([]any, 0, len(n))
	for i := range len(n) {
		v, ok := n[strconv.Itoa(i)]
		if !ok {
			break
		}
		list = append(list, plain(v))
	}
	if len(n) > 0 && len(list) == len(n) {
		return list
	}
	out := make(map[string]any, len(n))
	for k, v := range n {
		out[k] = plain(v)
	}
	return out
}

func plain(v any) any {
	if n, ok := v.(node); ok {
		return n.json()
	}
	return v
}

// Nest builds a JSON value from its fields, each written as in a profile. A field
// that does not parse is left out; those of a checked document do.
func Nest(fields map[string]any) any {
	root := node{}
	for name, v := range fields {
		if f, err := parseField(name); err == nil {
			root.put(f.steps, v)
		}
	}
	return root.json()
}

// At returns the value at a field of a JSON value, as [Nest] builds it.
func At(doc any, name string) (any, bool) {
	f, err := parseField(name)
	if err != nil {
		return nil, false
	}
	for _, step := range f.steps {
		switch x := doc.(type) {
		case map[string]any:
			v, ok := x[step]
			if !ok {
				return nil, false
			}
			doc = v
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			doc = x[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// ListFields returns a list's answer as fields for [Nest]. In orders[].lines each
// item gets an order of its own.
func ListFields(at string, items []any) map[string]any {
	outer, inner, nested := strings.Cut(at, "[].")
	if !nested {
		return map[string]any{at: items}
	}
	list := make([]any, 0, len(items))
	for _, item := range items {
		list = append(list, Nest(ListFields(inner, []any{item})))
	}
	return map[string]any{outer: list}
}
