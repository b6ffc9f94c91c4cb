package targets

import (
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// route finds the operation of a request, by method and path, and where several have
// the same, by the constants that they carry: Action=RunInstances.
func (p *Profile) route(r harness.RawRequest) (op *operation, id string, made map[string]string) {
	for _, o := range p.operations {
		if id, made, ok := o.matches(r.Method, r.Path); ok && o.told(r) {
			return o, id, made
		}
	}
	return nil, "", nil
}

// told reports whether the request carries the constants that tell the operation.
func (o *operation) told(r harness.RawRequest) bool {
	if len(o.tells) == 0 {
		return true
	}
	read := o.reader(r)
	for _, s := range o.tells {
		if v, ok := read(s.field); !ok || v != s.expr.name {
			return false
		}
	}
	return true
}

// tellApart gives operations of one method and path the constants that differ. Two of
// which none does are refused if one of them changes something.
func (p *Profile) tellApart() []problem {
	var bad []problem
	for i, a := range p.operations {
		for _, b := range p.operations[i+1:] {
			if a.Method != b.Method || a.Path != b.Path {
				continue
			}
			if !a.differs(b) && (a.Changes || b.Changes) {
				bad = append(bad, problem{[]any{"operations", b.name, "path"},
					fmt.Errorf("%s and %s have one method and path: expected a constant in one field of both that tells them apart", a.name, b.name)})
			}
		}
	}
	return bad
}

// differs notes in both operations the fields in which their constants differ.
func (o *operation) differs(b *operation) (found bool) {
	for _, s := range o.constants() {
		for _, t := range b.constants() {
			if s.form == t.form && s.expr.name != t.expr.name {
				o.tells, b.tells, found = tell(o.tells, s), tell(b.tells, t), true
			}
		}
	}
	return found
}

func tell(all []slot, s slot) []slot {
	if slices.ContainsFunc(all, func(t slot) bool { return t.form == s.form }) {
		return all
	}
	return append(all, s)
}

func (o *operation) constants() []slot {
	var out []slot
	for _, s := range slices.Concat(o.body, o.query) {
		if s.kind == constant {
			out = append(out, s)
		}
	}
	return out
}
