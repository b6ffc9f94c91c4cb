package lint

import (
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy"
)

var temporalFormat = Format{
	ID:     "temporal",
	Doc:    "Temporal's RetryPolicy, with the time-outs of the activity that stand around it",
	Source: "https://docs.temporal.io/encyclopedia/retry-policies",
	is: func(c content) bool {
		return c.has("initialInterval", "backoffCoefficient", "maximumInterval", "maximumAttempts", "nonRetryableErrorTypes",
			"startToCloseTimeout", "scheduleToCloseTimeout")
	},
	read: readTemporal,
}

func readTemporal(d *document, c content) (out []Policy, err error) {
	err = c.each(func(path []string, n *node) error {
		own := n
		switch e := n.key("retryPolicy"); {
		case e != nil && !e.value.null:
			own = e.value
		case n.key("startToCloseTimeout") != nil || n.key("scheduleToCloseTimeout") != nil:
			// An activity has a retry policy by default.
			own = &node{Place: n.Place, kind: mapping}
		case !temporalFields(n) || len(path) > 0 && camel(path[len(path)-1]) == "retryPolicy":
			return nil
		}
		p, err := temporalPolicy(d, strings.Join(path, "."), n, own)
		if err == nil {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

func temporalFields(n *node) bool {
	for _, k := range []string{"initialInterval", "backoffCoefficient", "maximumInterval", "maximumAttempts", "nonRetryableErrorTypes"} {
		if n.key(k) != nil {
			return true
		}
	}
	return false
}

// temporalPolicy: an activity that failed, timed out or lost its worker is run again,
// whatever it had done.
func temporalPolicy(d *document, name string, around, n *node) (Policy, error) {
	f := read(d, n, "RetryPolicy", "initialInterval", "backoffCoefficient", "maximumInterval", "maximumAttempts", "nonRetryableErrorTypes")
	first := f.span("initialInterval", time.Second, 0)
	p := Policy{Name: name, Place: n.Place,
		Attempts: f.count("maximumAttempts", 0, 0), AttemptsAt: f.at("maximumAttempts"),
		Repeats: []Repeat{{What: "a failed or timed-out activity", Place: n.Place, Class: harness.Unknown,
			Everything: len(f.list("nonRetryableErrorTypes")) == 0}},
		Backoff: Backoff{Waits: said(first > 0), Place: f.at("initialInterval"), Curve: policy.Backoff{
			Initial: first, Factor: f.factor("backoffCoefficient", 2, 1), Max: f.span("maximumInterval", times(first, 100), 0)}},
	}
	if f.err != nil || around == n {
		return p, f.err
	}
	g := &fields{d: d, node: around, seen: map[string]*entry{}}
	for _, k := range []string{"scheduleToCloseTimeout", "startToCloseTimeout"} {
		if e := around.key(k); e != nil {
			g.seen[k] = e
		}
	}
	p.Budget, p.BudgetAt = g.span("scheduleToCloseTimeout", 0, 0), g.at("scheduleToCloseTimeout")
	p.Attempt = g.span("startToCloseTimeout", 0, 0)
	return p, g.err
}
