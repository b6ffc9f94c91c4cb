package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Case is a trial, or a finding of a search, as a CI system lists it.
type Case struct {
	// Class and Name name it: target and scenario, and the trial.
	Class, Name string
	Verdict     harness.Verdict
	// Reason is one line; Broken says what was expected and observed, a line each; Text
	// is the whole story.
	Reason string
	Broken []string
	Text   string
	// Replay is the command that repeats it, or empty.
	Replay string
	// Took is 0 where that is not known.
	Took time.Duration
}

// Cases are the run's trials, in its order; command is how drill was called.
func (r *Run) Cases(command string) []Case {
	out := make([]Case, 0, len(r.Trials))
	for _, t := range r.Trials {
		out = append(out, t.Case(t.Scenario, t.trialName(), command))
	}
	return out
}

// Case is the trial under a name.
func (t Trial) Case(scenario, name, command string) Case {
	c := Case{Class: "drill." + t.Target + "." + scenario, Name: name, Verdict: t.Verdict, Reason: t.Reason, Took: t.Took}
	if t.Verdict != harness.Unsafe {
		return c
	}
	var story strings.Builder
	Text{W: &story, Command: command}.Unsafe(t)
	c.Text = story.String()
	for _, v := range t.Violations {
		line := v.Invariant
		if v.Action != "" {
			line += " (" + v.Action + ")"
		}
		c.Broken = append(c.Broken, fmt.Sprintf("%s: expected %s, observed %s", line, v.Expected, v.Observed))
	}
	if t.Replay != "" {
		c.Replay = command + " replay " + t.Replay
	}
	return c
}
