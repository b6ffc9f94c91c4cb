package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/policy/lint"
)

// maxPolicy bounds a policy that an executor follows, in bytes: it travels in the
// schedule and in the environment of its processes.
const maxPolicy = 64 << 10

// follow gives a built-in executor the retry policy of --policy, or of drill.yaml.
func (f *runFlags) follow(e harness.Executor, configured string) (harness.Executor, error) {
	path := cmp.Or(f.policy, configured)
	switch {
	case path == "":
		return e, nil
	case e.Kind != "builtin":
		return e, fmt.Errorf("policy %s: a built-in executor follows a policy document, and %s has its own rules", path, "this command")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return e, fmt.Errorf("policy: %w", err)
	}
	if len(b) > maxPolicy {
		return e, fmt.Errorf("policy %s has %d bytes: expected at most %d", path, len(b), maxPolicy)
	}
	if _, err := policy.Parse(path, b); err != nil {
		if of, known := lint.Known(b); known && of.ID != lint.Own {
			return e, fmt.Errorf("policy %s is of the format %s: an executor follows drill's own (docs/policy.md), and drill policy lint reads this one", path, of.ID)
		}
		return e, err
	}
	e.Policy = string(b)
	return e, nil
}

// held is what an executor is held to: to the attempts that its policy allows, where
// drill.yaml declares no number.
func held(c config.Config, e harness.Executor) (harness.Limits, error) {
	if e.Policy == "" || c.Attempts {
		return c.Limits, nil
	}
	p, err := policy.Parse("policy", []byte(e.Policy))
	if err != nil {
		return c.Limits, err
	}
	l := c.Limits
	l.MaxAttempts = p.Limits.Expected(l.MaxAttempts)
	return l, nil
}
