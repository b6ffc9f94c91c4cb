package targets

import (
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Normal says how an action's arguments come into the one form that is approved and
// digested, from what the steps' operations accept: sets are put in order, amounts in
// units made whole, and what has a prefix names one record by its ID.
func (p *Profile) Normal() harness.Normal { return p.normal }

func (p *Profile) normalForm() (n harness.Normal) {
	var seen []string
	for _, step := range p.steps {
		op := p.operation(step)
		if op == nil {
			continue
		}
		// The arguments that a parameter carries whole, by the parameter.
		carried := map[string]string{}
		for _, s := range op.body {
			if s.kind == argument && len(s.steps) == 1 {
				carried[s.steps[0]] = "/" + escapePointer.Replace(s.name)
			}
		}
		accepts := p.Operations[step].Accepts
		for _, s := range op.body {
			if s.kind != argument || len(s.steps) != 1 || slices.Contains(seen, s.name) {
				continue
			}
			seen = append(seen, s.name)
			at, param := carried[s.steps[0]], accepts[s.steps[0]]
			switch {
			case param.Set:
				n.Unordered = append(n.Unordered, at)
			case param.Prefix != "":
				n.Pinned = append(n.Pinned, harness.Pin{Pointer: at, Prefix: param.Prefix})
			case param.Units != nil && carried[param.Units.Currency] != "":
				n.Money = append(n.Money, harness.Money{Amount: at, Currency: carried[param.Units.Currency], Digits: param.Units.Digits})
			}
		}
	}
	return n
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")
