package sim

import (
	"maps"
	"slices"
)

// directory is a state directory without files: what is kept, by name.
type directory struct {
	name string
	kept map[string]any
}

// directory makes one more.
func (t *trial) directory() *directory {
	d := &directory{name: "state" + string(rune('1'+len(t.kept)))}
	t.kept = append(t.kept, d)
	return d
}

// any reports whether a text of what is kept is as wanted. What is kept shows its
// texts by a method.
func (d *directory) any(wanted func(string) bool) (found bool) {
	for _, name := range slices.Sorted(maps.Keys(d.kept)) {
		if k, ok := d.kept[name].(interface{ Texts(func(string)) }); ok {
			k.Texts(func(s string) { found = found || wanted(s) })
		}
	}
	return found
}

func (d *directory) keep(name string, v any) {
	if d.kept == nil {
		d.kept = map[string]any{}
	}
	d.kept[name] = v
}
