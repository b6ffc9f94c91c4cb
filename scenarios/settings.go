package scenarios

import "github.com/retrydrill/drill/harness"

// Settings change the target for one trial; see [harness.Settings] for what each
// does, and which step outside of what a profile promises. What is left out is not
// part of a trial's seed.
type Settings struct {
	// ForgetKey: keys are kept for the declared retention alone.
	ForgetKey bool `yaml:"forget-key"`
	// StaleRead: reads lag behind writes as far as the profile declares.
	StaleRead bool `yaml:"stale-read"`
	// ForeignObject: a stranger's object stands under the action's name.
	ForeignObject bool `yaml:"foreign-object"`

	ForeignDelete harness.Span   `yaml:"foreign-delete-after" json:",omitzero"`
	Present       string         `yaml:"present" json:",omitempty"`
	KeyMode       string         `yaml:"key-mode" json:",omitempty"`
	Lookup        string         `yaml:"lookup" json:",omitempty"`
	Async         harness.Async  `yaml:"async" json:",omitzero"`
	Latency       harness.Span   `yaml:"latency" json:",omitzero"`
	Throttle      int            `yaml:"throttle" json:",omitempty"`
	Maintenance   harness.Window `yaml:"maintenance" json:",omitzero"`
}

// In returns what a schedule at a target of these promises says.
func (s Settings) In(p harness.Promises) harness.Settings {
	out := harness.Settings{
		ForgetKey: s.ForgetKey, ForeignObject: s.ForeignObject, ForeignDelete: s.ForeignDelete, Present: s.Present,
		KeyMode: s.KeyMode, Lookup: s.Lookup, Async: s.Async, Latency: s.Latency, Throttle: s.Throttle, Maintenance: s.Maintenance,
	}
	if s.StaleRead {
		out.StaleRead = harness.Span{D: p.Lookup.Lag.D()}
	}
	return out
}
