package targets

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Steps lists the operations that make one action's effect, in the order of the
// profile's parts: those with part or makes. Without parts it is create alone.
func (p *Profile) Steps() []string { return slices.Clone(p.steps) }

// findSteps orders the steps: by the first part that each makes, and of two that
// make one part by name.
func (p *Profile) findSteps() []string {
	if len(p.Parts) == 0 {
		return []string{harness.CreateOp}
	}
	var out []string
	for _, part := range p.Parts {
		var here []string
		for name, op := range p.Operations {
			if slices.Contains(op.parts(), part) && !slices.Contains(out, name) {
				here = append(here, name)
			}
		}
		slices.Sort(here)
		out = append(out, here...)
	}
	return out
}

// parts lists what one request of this operation commits; none is a whole effect.
func (o Operation) parts() []string {
	if len(o.Makes) > 0 {
		return o.Makes
	}
	if o.Part != "" {
		return []string{o.Part}
	}
	return nil
}

// PartsOf lists the parts that one request of the operation commits: a ledger has an
// entry for each. A whole effect has one part, whose name is empty. The list is the
// profile's own and must not be changed.
func (p *Profile) PartsOf(operation string) []string {
	if op := p.operation(operation); op != nil {
		return op.commits
	}
	return wholeEffect
}

// wholeEffect are the parts of an effect that has none by name.
var wholeEffect = []string{""}

// FindOf names the look-up that shows what a step made.
func (p *Profile) FindOf(step string) string {
	if op := p.operation(step); op != nil {
		return op.finds
	}
	return harness.FindOp
}

// UndoOf names the operation that takes a step's object back, or is empty.
func (p *Profile) UndoOf(step string) string {
	var out []string
	for name, op := range p.Operations {
		if op.Undoes == step {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return slices.Min(out)
}

// Makers lists the operations whose objects an operation works on or shows: itself
// where it makes one, what it undoes, the steps that are found by it, the step whose
// path it reads one object of. Where nothing says so, all that make any. The list is
// the profile's own and must not be changed.
func (p *Profile) Makers(operation string) []string {
	if op := p.operation(operation); op != nil && op.makers != nil {
		return op.makers
	}
	return p.findMakers(operation)
}

func (p *Profile) findMakers(operation string) []string {
	op := p.Operations[operation]
	switch {
	case op.Undoes != "":
		return []string{op.Undoes}
	case op.Changes:
		return []string{operation}
	}
	var found, all, near []string
	for name, o := range p.Operations {
		if !o.Changes || o.Undoes != "" {
			continue
		}
		all = append(all, name)
		if p.FindOf(name) == operation {
			found = append(found, name)
		}
		if o.Path == strings.TrimSuffix(op.Path, "/"+idSegment) || o.Path == op.Path {
			near = append(near, name)
		}
	}
	for _, out := range [][]string{found, near} {
		if len(out) > 0 {
			slices.Sort(out)
			return out
		}
	}
	slices.Sort(all)
	return all
}

// ReferenceSteps are the keys that lead to the reference in a JSON body; none where
// the action ID is stamped nowhere.
func (p *Profile) ReferenceSteps() []string {
	if p.reference == nil {
		return nil
	}
	return slices.Clone(p.reference.steps)
}

// Operation returns an operation, or nil. It is the profile's own and must not be
// changed.
func (p *Profile) Operation(name string) *Operation {
	if op := p.operation(name); op != nil {
		return &op.Operation
	}
	return nil
}
