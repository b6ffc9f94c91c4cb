// Package protocol is drill's worker protocol, version 1, as a worker in Go sees
// it: see docs/worker-protocol.md. It imports nothing of drill.
package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Version is the protocol that this package speaks.
const Version = 1

// ExitFailed is the exit status of a delivery that came to no definite end
// (EX_TEMPFAIL of sysexits.h): it is delivered again.
const ExitFailed = 75

// Env is what a worker is given by its environment.
type Env struct {
	TargetURL, Token, StateDir string
	// ClientDeadline bounds one HTTP call.
	ClientDeadline time.Duration
}

// Job is one delivery.
type Job struct {
	Protocol   int      `json:"protocol"`
	Deliver    string   `json:"deliver"`
	Delivery   int      `json:"delivery"`
	TriggerKey string   `json:"trigger_key"`
	Actions    []Action `json:"actions"`
}

// Action is one refund to make.
type Action struct {
	ID        string `json:"action_id"`
	Effect    string `json:"effect"`
	Arguments struct {
		Charge string `json:"charge"`
		Amount int64  `json:"amount"`
	} `json:"arguments"`
}

// Report says how one action ended.
type Report struct {
	ActionID   string `json:"action_id"`
	Outcome    string `json:"outcome"`
	ResourceID string `json:"resource_id,omitempty"`
	ErrorClass string `json:"error_class,omitempty"`
}

// Done reports that the refund exists.
func Done(a Action, resource string) Report {
	return Report{ActionID: a.ID, Outcome: "done", ResourceID: resource}
}

// Rejected reports that the target refused for good.
func Rejected(a Action) Report {
	return Report{ActionID: a.ID, Outcome: "rejected", ErrorClass: "rejected_permanent"}
}

// Read reads the environment and one job.
func Read(getenv func(string) string, in io.Reader) (Env, Job, error) {
	e := Env{
		TargetURL: getenv("DRILL_TARGET_URL"),
		Token:     getenv("DRILL_TARGET_TOKEN"),
		StateDir:  getenv("DRILL_STATE_DIR"),
	}
	if e.TargetURL == "" {
		return e, Job{}, errors.New("DRILL_TARGET_URL is not set")
	}
	ms, err := strconv.Atoi(getenv("DRILL_CLIENT_DEADLINE_MS"))
	if err != nil || ms <= 0 {
		return e, Job{}, fmt.Errorf("DRILL_CLIENT_DEADLINE_MS is %q: expected milliseconds", getenv("DRILL_CLIENT_DEADLINE_MS"))
	}
	e.ClientDeadline = time.Duration(ms) * time.Millisecond
	var j Job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return e, j, fmt.Errorf("job: %w", err)
	}
	if j.Protocol != Version {
		return e, j, fmt.Errorf("job: protocol is %d: expected %d", j.Protocol, Version)
	}
	return e, j, nil
}

// Write writes one report as one line.
func Write(out io.Writer, r Report) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}

// Run makes the refunds of one delivery and returns the exit status. An error of
// refund is no report: the delivery failed.
func Run(refund func(context.Context, Env, Action) (Report, error)) int {
	env, job, err := Read(os.Getenv, os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, a := range job.Actions {
		r, err := refund(context.Background(), env, a)
		if err == nil {
			err = Write(os.Stdout, r)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", a.ID, err)
			return ExitFailed
		}
	}
	return 0
}
