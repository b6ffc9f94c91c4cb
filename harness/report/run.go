// Package report says what a run found: [Run] is the JSON of drill.run/v1, and
// [Text] tells the same to a person, with the story of each trial that failed. [JUnit]
// and [GitHub] tell it to a CI system, and [Merge] puts the parts of a run together.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Schema is the version line of a run's JSON.
const Schema = "drill.run/v1"

// Run is what a run found. Its order does not depend on how much ran at once.
type Run struct {
	Schema  string  `json:"schema"`
	Seed    uint64  `json:"seed"`
	Trials  []Trial `json:"trials"`
	Summary Summary `json:"summary"`
	// Part says what part of a run this is, where it was split.
	Part *Part `json:"part,omitempty"`
}

// Summary counts trials by verdict.
type Summary struct {
	Safe    int `json:"safe"`
	Unsafe  int `json:"unsafe"`
	Unknown int `json:"unknown"`
	Skipped int `json:"skipped"`
}

// Trial is one judged trial.
type Trial struct {
	ID         string               `json:"id"`
	Scenario   string               `json:"scenario"`
	World      string               `json:"world"`
	Executor   string               `json:"executor"`
	Target     string               `json:"target"`
	Verdict    harness.Verdict      `json:"verdict"`
	Reason     string               `json:"reason"`
	Attempts   int                  `json:"attempts"`
	Copies     int                  `json:"copies"`
	Deliveries int                  `json:"deliveries"`
	Actions    []Action             `json:"actions"`
	Faults     []harness.FaultFired `json:"faults"`
	Violations []harness.Violation  `json:"violations"`
	// ToldBy lists what ended a doubt about a request: look-up, kept key.
	ToldBy     []string `json:"told_by"`
	NotChecked []string `json:"not_checked"`
	Caveats    []string `json:"caveats"`
	// Replay is the file that repeats the trial, where one was written.
	Replay string `json:"replay"`
	// Kept is the file that holds what was recorded, where one was asked for.
	Kept   string `json:"history,omitempty"`
	Record Record `json:"record"`
	// Story tells what happened, event by event, where that was asked for.
	Story []Line `json:"story,omitempty"`

	// Took is real time, and History what the verdict was drawn from; neither is
	// part of the JSON.
	Took    time.Duration    `json:"-"`
	History *harness.History `json:"-"`
}

// Action is what became of one action.
type Action struct {
	Action  string   `json:"action"`
	Digest  string   `json:"digest"`
	Effects int      `json:"effects"`
	Reports []Report `json:"reports"`
}

// Report is one report of an action and whether its delivery was acknowledged.
type Report struct {
	Delivery     int             `json:"delivery"`
	Outcome      harness.Outcome `json:"outcome"`
	Resource     string          `json:"resource_id"`
	Acknowledged bool            `json:"acknowledged"`
}

// Join puts runs together, in their order. A run that never began is nil.
func Join(seed uint64, runs ...*Run) *Run {
	out := &Run{Schema: Schema, Seed: seed}
	for _, r := range runs {
		if r == nil {
			continue
		}
		for _, t := range r.Trials {
			out.Add(t)
		}
	}
	return out
}

// Add appends a trial and counts it.
func (r *Run) Add(t Trial) {
	r.Trials = append(r.Trials, t)
	switch t.Verdict {
	case harness.Safe:
		r.Summary.Safe++
	case harness.Unsafe:
		r.Summary.Unsafe++
	case harness.Skipped:
		r.Summary.Skipped++
	default:
		r.Summary.Unknown++
	}
}

// Verdict is that of the worst trial; a run that judged nothing is unknown.
func (r *Run) Verdict() harness.Verdict {
	switch s := r.Summary; {
	case s.Unsafe > 0:
		return harness.Unsafe
	case s.Unknown > 0 || s.Safe == 0:
		return harness.Inconclusive
	}
	return harness.Safe
}

// JSON writes the run, indented.
func (r *Run) JSON(w io.Writer) error {
	out := *r
	if out.Trials == nil {
		out.Trials = []Trial{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
