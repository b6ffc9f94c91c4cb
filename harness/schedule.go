package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// ScheduleVersion is the version line of a replay file.
const ScheduleVersion = "drill.schedule/v1"

// Schedule is all that decides a trial.
type Schedule struct {
	Version  string   `json:"version" yaml:"version"`
	Seed     uint64   `json:"seed" yaml:"seed"`
	World    string   `json:"world" yaml:"world"`
	Executor Executor `json:"executor" yaml:"executor"`
	// Profile names what the target promises; ProfileDigest is the document's.
	Profile       string   `json:"profile" yaml:"profile"`
	ProfileDigest string   `json:"profile_digest,omitempty" yaml:"profile_digest,omitempty"`
	Actions       []Action `json:"actions" yaml:"actions"`
	// Faults hold the deliveries' lines too.
	Faults []Fault `json:"faults,omitempty" yaml:"faults,omitempty"`
	// Connection is warm, cold or empty: a condition that a struck request meets.
	Connection string `json:"connection,omitempty" yaml:"connection,omitempty"`
	// AtLeast makes that many deliveries, acknowledged or not, although no fault
	// names the last one.
	AtLeast int `json:"deliveries,omitempty" yaml:"deliveries,omitempty"`
	// Order is forward or reverse: who is let go first after a rendezvous.
	Order    string   `json:"order,omitempty" yaml:"order,omitempty"`
	Settings Settings `json:"settings,omitzero" yaml:"settings,omitempty"`
	Limits   Limits   `json:"limits" yaml:"limits"`
	// Blind shows no worker or delivery number to the worker: no DRILL_WORKER, no
	// DRILL_DELIVERY, and "delivery" is always 1.
	Blind bool `json:"blind,omitempty" yaml:"blind,omitempty"`
}

// Executor says what is run.
type Executor struct {
	// Kind is builtin, func, exec or serve.
	Kind string `json:"kind" yaml:"kind"`
	// Name is that of a built-in executor or Go function.
	Name string `json:"name,omitempty" yaml:"name,omitempty"`
	// Command is the argument vector of an exec or serve worker.
	Command []string `json:"command,omitempty" yaml:"command,omitempty"`
	// Serve says how a serve worker is asked; nil is by the worker protocol.
	Serve *Served `json:"serve,omitempty" yaml:"serve,omitempty"`
	// Env is what drill.yaml maps, with ${target_url}, ${target_token}, ${state_dir}.
	Env map[string]string `json:"env,omitempty" yaml:"env,omitempty"`
	// Intercept are hosts whose HTTPS reaches the target instead, through HTTPS_PROXY.
	Intercept []string `json:"intercept,omitempty" yaml:"intercept,omitempty"`
	// Policy is the retry policy that a built-in executor follows, as a document; empty
	// is its own.
	Policy string `json:"policy,omitempty" yaml:"policy,omitempty"`
	// Abilities are declared: checks-approval, keeps-state, looks-up, reuses-connections,
	// waits, hears-events, normalises.
	Abilities map[string]bool `json:"abilities,omitempty" yaml:"abilities,omitempty"`
}

// Action returns the action of that name.
func (s *Schedule) Action(name string) (Action, bool) {
	if a := s.Named(name); a != nil {
		return *a, true
	}
	return Action{}, false
}

// Named is Action in its place; nil where there is none.
func (s *Schedule) Named(name string) *Action {
	for i := range s.Actions {
		if a := &s.Actions[i]; a.Name == name {
			return a
		}
	}
	return nil
}

// Has reports whether a fault of this key ("response reset") is scheduled.
func (s *Schedule) Has(key string) bool {
	return slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Is(key) })
}

// Kills reports whether the schedule needs a worker that can be SIGKILLed.
func (s *Schedule) Kills() bool {
	for i := range s.Faults {
		if s.Faults[i].Kills() {
			return true
		}
	}
	return false
}

// Deliveries returns the highest delivery that the schedule names, at least 1.
func (s *Schedule) Deliveries() int {
	n := max(1, s.AtLeast)
	for i := range s.Faults {
		if w := &s.Faults[i].Where; w.Point == Deliver {
			n = max(n, w.From, w.To)
		}
	}
	return n
}

// Validate refuses what can not be carried out by any world: an action that is not
// there, two lines of which the second can never strike, close beside reset.
func (s *Schedule) Validate() error {
	if s.Version != ScheduleVersion {
		return fmt.Errorf("version is %q: expected %s", s.Version, ScheduleVersion)
	}
	if len(s.Actions) == 0 {
		return fmt.Errorf("actions: none is given")
	}
	switch s.Connection {
	case "", "warm", "cold":
	default:
		return fmt.Errorf("connection is %q: expected warm or cold", s.Connection)
	}
	switch s.Order {
	case "", "forward", "reverse":
	default:
		return fmt.Errorf("order is %q: expected forward or reverse", s.Order)
	}
	known := func(name string) bool { return name == "" || s.Named(name) != nil }
	for i := range s.Faults {
		f := &s.Faults[i]
		for _, name := range [...]string{f.Of, f.Where.Action} {
			if !known(name) {
				return s.noAction(f, name)
			}
		}
		for _, name := range f.Actions {
			if !known(name) {
				return s.noAction(f, name)
			}
		}
	}
	if err := s.Settings.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return s.clashes()
}

func (s *Schedule) noAction(f *Fault, name string) error {
	return fmt.Errorf("fault %q: there is no action %s; the schedule has %s", f, name, strings.Join(s.actionNames(), ", "))
}

func (s *Schedule) actionNames() []string {
	var out []string
	for _, a := range s.Actions {
		out = append(out, a.Name)
	}
	return out
}

// Marshal writes the replay file.
func (s Schedule) Marshal() ([]byte, error) { return yaml.Marshal(s) }

// ParseSchedule reads a replay file; unknown keys are refused with line and column.
func ParseSchedule(b []byte) (Schedule, error) {
	var s Schedule
	if err := yaml.UnmarshalWithOptions(b, &s, yaml.Strict()); err != nil {
		return s, fmt.Errorf("schedule: %s", strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	if err := s.Validate(); err != nil {
		return s, fmt.Errorf("schedule: %w", err)
	}
	return s, nil
}
