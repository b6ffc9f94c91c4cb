package scenarios

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed *.yaml
var files embed.FS

// order lists the catalogue as a reader wants it: what is lost on the way, what
// dies, what comes twice, what is not the same, what the target says. A test
// holds it against the files.
var order = []string{
	"control",
	"lost-answer",
	"gateway-error",
	"unavailable",
	"unavailable-for-long",
	"throttled",
	"slow-answer",
	"target-down-then-up",
	"proxy-retry",
	"dies-before-sending",
	"dies-after-commit",
	"dies-having-heard",
	"asked-to-stop",
	"caller-gives-up",
	"receipt-not-written",
	"report-lost",
	"redelivered-early",
	"late-worker",
	"recovery-races",
	"two-at-once",
	"two-intents",
	"batch-cut",
	"batch-paused",
	"two-operations",
	"undo-in-doubt",
	"event-first",
	"notice-astray",
	"undo-cut-off",
	"minted-twice",
	"changed-arguments",
	"equivalent-arguments",
	"wrong-approval",
	"one-consent-for-two",
	"rejected-for-good",
	"mail-refused",
	"failure-stored",
	"repaired",
	"batch-repaired",
	"full-refund",
	"key-expired",
	"lagging-look-up",
	"own-conflict",
	"taken-name",
}

var catalogue = sync.OnceValues(func() ([]Scenario, error) {
	var out []Scenario
	for _, name := range order {
		b, err := files.ReadFile(name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", name, err)
		}
		s, err := Parse(name+".yaml", b)
		if err != nil {
			return nil, err
		}
		if s.Name != name {
			return nil, fmt.Errorf("%s.yaml: the scenario calls itself %q", name, s.Name)
		}
		out = append(out, s)
	}
	return out, nil
})

// All returns the catalogue, in its order; the slices are the caller's.
func All() []Scenario {
	all, err := catalogue()
	if err != nil {
		panic(fmt.Sprintf("the embedded catalogue can not be read: %v", err))
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Trials = slices.Clone(all[i].Trials)
	}
	return all
}

// Names lists the catalogue's names, in its order.
func Names() []string { return slices.Clone(order) }

// Pick returns the named scenarios in the catalogue's order, or all for no name.
func Pick(names []string) ([]Scenario, error) {
	all := All()
	if len(names) == 0 {
		return all, nil
	}
	for _, n := range names {
		if !slices.Contains(order, n) {
			return nil, fmt.Errorf("there is no scenario %q: expected one of %s", n, strings.Join(order, ", "))
		}
	}
	return slices.DeleteFunc(all, func(s Scenario) bool { return !slices.Contains(names, s.Name) }), nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
