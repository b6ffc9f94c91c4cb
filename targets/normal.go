package targets

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// Normal says how an action's arguments come into the one form that is approved and
// digested, from what the steps' operations accept: sets are put in order, amounts in
// units made whole, and what has a prefix names one record by its ID.
func (p *Profile) Normal() harness.Normal { return p.normal }

// Normalised is what [Profile.Normalise] made of arguments. It is everybody's: nobody may
// change the arguments in place.
type Normalised struct {
	// Arguments are in the normal form.
	Arguments harness.Arguments
	// Came is the digest of the arguments as they came, Digest that of their normal form.
	Came, Digest string
	// read is the digest of the normal form as the profile reads it, and reads that at each
	// of several steps.
	read  string
	reads map[string]string
}

// Read returns the digest of the arguments as the profile reads them at a step; empty
// where no profile has read them.
func (n *Normalised) Read(step string) string {
	if d, ok := n.reads[step]; ok {
		return d
	}
	return n.read
}

// Normalise brings the arguments of an action into the normal form. What the profile does
// not take is refused as [Profile.CheckAction] does, and what has no normal form with
// [harness.ErrArguments]. What it made of them is remembered, for those that came last by
// themselves and for others by their canonical form.
func (p *Profile) Normalise(action string, a harness.Arguments) (n *Normalised, err error) {
	if last := p.remembered.last.Load(); last != nil && last.came.Are(a) {
		return &last.Normalised, nil
	}
	if err := p.CheckAction(harness.Action{Name: action, Arguments: a}); err != nil {
		return nil, err
	}
	ill := a.InCanonical(func(form []byte) { n, err = p.normalise(a, form) })
	return n, cmp.Or(ill, err)
}

// readArguments are arguments as they came, and their canonical form, with what was made
// of them.
type readArguments struct {
	came harness.Listed
	form string
	Normalised
}

func (p *Profile) normalise(a harness.Arguments, form []byte) (*Normalised, error) {
	place := p.remembered.normal.At(memo.Hash(form))
	for i := range place {
		if e := place[i].Load(); e != nil && e.form == string(form) {
			p.remembered.last.Store(e)
			return &e.Normalised, nil
		}
	}
	args, err := p.normal.Apply(a)
	if err != nil {
		return nil, err
	}
	e := &readArguments{came: a.Clone().Listed(), form: string(form)}
	n := &e.Normalised
	n.Arguments = args
	n.Came, n.Digest = harness.Digest(form), n.Arguments.Digest()
	n.read, n.reads = namer{p}.Digest(n.Arguments), namer{p}.Digests(n.Arguments)
	if len(form) <= memo.Longest {
		place.Keep(e)
	}
	return n, nil
}

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
