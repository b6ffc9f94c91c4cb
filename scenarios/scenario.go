package scenarios

import (
	"regexp"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// Scenario is one or more trials that tell one story; its verdict is that of the
// worst.
type Scenario struct {
	Name string
	// Story tells in one or two sentences what goes wrong.
	Story string
	// Needs of every trial, by name; see [Needs].
	Needs  []string
	Trials []Trial
}

// Trial is one schedule without what the run adds to it: executor, target,
// arguments, IDs and limits.
type Trial struct {
	Name       string
	Faults     []harness.Fault
	Connection string
	Order      string
	// Deliveries are made at least, though no fault names the last one.
	Deliveries int
	Settings   Settings
	// Needs come on top of the scenario's.
	Needs []string
	// Actions say how each action is derived from the run's own. A is there anyhow.
	Actions map[string]Derived
}

// Derived says how an action is made from the run's own action. Exactly one of
// its fields is set. Every action has an action ID, a trigger key and an approval
// of its own.
type Derived struct {
	// Like takes the arguments of the named action.
	Like string `yaml:"like"`
	// Changed takes the run's changed arguments.
	Changed bool `yaml:"changed"`
	// Whole takes the arguments that use up all there is.
	Whole bool `yaml:"whole"`
}

// file is a scenario as it is written.
type file struct {
	Name   string      `yaml:"name"`
	Story  string      `yaml:"story"`
	Needs  []string    `yaml:"needs"`
	Trials []fileTrial `yaml:"trials"`
}

type fileTrial struct {
	Name       string             `yaml:"name"`
	Faults     []string           `yaml:"faults"`
	Connection string             `yaml:"connection"`
	Order      string             `yaml:"order"`
	Deliveries int                `yaml:"deliveries"`
	Settings   Settings           `yaml:"settings"`
	Needs      []string           `yaml:"needs"`
	Actions    map[string]Derived `yaml:"actions"`
}

var (
	nameRE   = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	actionRE = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)
)

// Parse reads one scenario file. The error is a [*located.Error].
func Parse(name string, b []byte) (Scenario, error) {
	var raw file
	f, err := located.Decode(name, b, &raw)
	if err != nil {
		return Scenario{}, err
	}
	switch {
	case !nameRE.MatchString(raw.Name):
		return Scenario{}, f.Errorf([]any{"name"}, "name is %q: expected lower-case words joined by hyphens", raw.Name)
	case raw.Story == "":
		return Scenario{}, f.Errorf([]any{"story"}, "story is missing: one or two sentences on what goes wrong")
	case len(raw.Trials) == 0:
		return Scenario{}, f.Errorf([]any{"trials"}, "trials: none is given")
	}
	s := Scenario{Name: raw.Name, Story: raw.Story, Needs: raw.Needs}
	if err := knownNeeds(f, []any{"needs"}, raw.Needs); err != nil {
		return Scenario{}, err
	}
	seen := map[string]bool{}
	for i, rt := range raw.Trials {
		at := []any{"trials", i}
		if rt.Name == "" || seen[rt.Name] {
			return Scenario{}, f.Errorf(append(at, "name"), "trial %d needs a name of its own, it is %q", i+1, rt.Name)
		}
		seen[rt.Name] = true
		t, err := rt.read(f, at)
		if err != nil {
			return Scenario{}, err
		}
		s.Trials = append(s.Trials, t)
	}
	return s, nil
}

func (rt fileTrial) read(f *located.File, at []any) (Trial, error) {
	t := Trial{Name: rt.Name, Connection: rt.Connection, Order: rt.Order, Deliveries: rt.Deliveries,
		Settings: rt.Settings, Needs: rt.Needs, Actions: rt.Actions}
	under := func(steps ...any) []any { return append(slices.Clone(at), steps...) }
	if !slices.Contains([]string{"", "warm", "cold"}, t.Connection) {
		return t, f.Errorf(under("connection"), "connection is %q: expected warm or cold", t.Connection)
	}
	if !slices.Contains([]string{"", "forward", "reverse"}, t.Order) {
		return t, f.Errorf(under("order"), "order is %q: expected forward or reverse", t.Order)
	}
	if t.Deliveries < 0 || t.Deliveries > 20 {
		return t, f.Errorf(under("deliveries"), "deliveries is %d: expected 1 to 20", t.Deliveries)
	}
	settings := t.Settings.In(harness.Promises{})
	if err := settings.Validate(); err != nil {
		return t, f.Errorf(under("settings"), "settings: %w", err)
	}
	if err := knownNeeds(f, under("needs"), rt.Needs); err != nil {
		return t, err
	}
	if err := t.derivable(f, under("actions")); err != nil {
		return t, err
	}
	for i, line := range rt.Faults {
		fault, err := harness.ParseFault(line)
		if err != nil {
			return t, f.Errorf(under("faults", i), "%w", err)
		}
		for _, name := range Named(fault) {
			if _, ok := t.Actions[name]; !ok && name != "A" {
				return t, f.Errorf(under("faults", i), "fault %q: actions does not say how %s is derived", fault, name)
			}
		}
		t.Faults = append(t.Faults, fault)
	}
	return t, nil
}

// derivable refuses an action that is derived from nothing, or in two ways.
func (t Trial) derivable(f *located.File, at []any) error {
	for _, name := range sortedKeys(t.Actions) {
		d, ways := t.Actions[name], 0
		for _, set := range []bool{d.Like != "", d.Changed, d.Whole} {
			if set {
				ways++
			}
		}
		here := append(slices.Clone(at), name)
		switch {
		case !actionRE.MatchString(name):
			return f.Errorf(here, "%q is no action: expected a name like B", name)
		case ways != 1:
			return f.Errorf(here, "action %s is derived in %d ways: expected one of like: A, changed: true, whole: true", name, ways)
		case d.Like != "" && (name == "A" || d.Like != "A"):
			return f.Errorf(here, "action %s is like %s: only A can be copied, and not by itself", name, d.Like)
		}
	}
	return nil
}

// Named lists the actions that a fault speaks of.
func Named(f harness.Fault) []string {
	var out []string
	for _, n := range append(slices.Clone(f.Actions), f.Of, f.Where.Action) {
		if n != "" {
			out = append(out, n)
		}
	}
	if f.Event != nil && f.Event.Action != "" {
		out = append(out, f.Event.Action)
	}
	return out
}

func knownNeeds(f *located.File, at []any, needs []string) error {
	for i, n := range needs {
		if _, ok := NeedNamed(n); !ok {
			return f.Errorf(append(slices.Clone(at), i), "there is no need %q: expected one of %s", n, needNames())
		}
	}
	return nil
}
