package sim

import (
	"cmp"
	"errors"
	"slices"

	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// directory is a state directory without files: what is kept, in the order of names.
type directory struct {
	name string
	kept []kept
	// before is what an earlier trial kept, of which this one may make use.
	before []kept

	// visit looks at a text, and notes that the session's secret is in it.
	visit   func(string)
	session *tap.Session
	found   bool
}

type kept struct {
	name  string
	value any
}

// anew is what can be emptied and used again.
type anew interface{ Reset() }

// directory makes one more.
func (t *trial) directory() *directory {
	n := len(t.kept)
	if n < cap(t.kept) && t.kept[:n+1][n] != nil {
		t.kept = t.kept[:n+1]
		t.kept[n].begin(t.again)
	} else {
		t.kept = append(t.kept, &directory{name: "state" + string(rune('1'+n))})
	}
	if b := t.bubble; b != nil {
		t.err = errors.Join(t.err, b.furnish(t.kept[n]))
	}
	return t.kept[n]
}

// begin makes it an empty one. again: what is kept will be of the same kind as before.
func (d *directory) begin(again bool) {
	d.before = d.before[:0]
	if again {
		d.before = append(d.before, d.kept...)
	}
	clear(d.kept)
	d.kept = d.kept[:0]
}

// leaks reports whether the target's token is in a text of what is kept; see [worker.Shown].
func (d *directory) leaks(s *tap.Session) bool {
	if d.visit == nil {
		d.visit = func(text string) {
			if d.session.Leaks(text) {
				d.found = true
			}
		}
	}
	d.session, d.found = s, false
	for _, f := range d.kept {
		if k, ok := f.value.(worker.Shown); ok {
			k.Texts(s.Shortest(), d.visit)
		}
	}
	return d.found
}

// find returns what stands under the name, or nil.
func (d *directory) find(name string) any {
	i := slices.IndexFunc(d.kept, func(k kept) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return d.kept[i].value
}

// keep returns what stands under the name, and keeps what make makes where nothing
// does: or what an earlier trial kept there, emptied.
func (d *directory) keep(name string, make func() any) any {
	i, ok := slices.BinarySearchFunc(d.kept, name, func(k kept, name string) int { return cmp.Compare(k.name, name) })
	if ok {
		return d.kept[i].value
	}
	var v any
	for _, k := range d.before {
		if old, again := k.value.(anew); again && k.name == name {
			old.Reset()
			v = old
		}
	}
	if v == nil {
		v = make()
	}
	d.kept = slices.Insert(d.kept, i, kept{name, v})
	return v
}
