package policy

import (
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
)

// YAML writes the policy as a document that [Parse] reads back to the same. Nothing
// that has a default is left out.
func (p Policy) YAML() ([]byte, error) {
	l := p.Limits
	limits := yaml.MapSlice{{Key: "max_attempts", Value: l.Attempts}}
	if len(l.PerClass) > 0 {
		limits = append(limits, yaml.MapItem{Key: "per_class", Value: byClass(func(c harness.Class) (any, bool) {
			n, ok := l.PerClass[c]
			return n, ok
		})})
	}
	after := "honour"
	if l.IgnoreRetryAfter {
		after = "ignore"
	}
	limits = append(limits,
		yaml.MapItem{Key: "time_budget", Value: l.Budget.String()},
		yaml.MapItem{Key: "retry_after", Value: after},
		yaml.MapItem{Key: "backoff", Value: yaml.MapSlice{
			{Key: "initial", Value: l.Backoff.Initial.String()},
			{Key: "factor", Value: l.Backoff.Factor},
			{Key: "max", Value: l.Backoff.Max.String()},
			{Key: "jitter", Value: string(l.Backoff.Jitter)},
		}})
	doc := yaml.MapSlice{
		{Key: "retry_policy", Value: byClass(func(c harness.Class) (any, bool) {
			m, ok := p.Moves[c]
			return string(m), ok
		})},
		{Key: "limits", Value: limits},
	}
	if len(p.Overrides) > 0 {
		var all []yaml.MapSlice
		for _, o := range p.Overrides {
			all = append(all, o.document())
		}
		doc = append(doc, yaml.MapItem{Key: "stricter", Value: all})
	}
	if allow := p.Allow.document(); len(allow) > 0 {
		doc = append(doc, yaml.MapItem{Key: "allow", Value: allow})
	}
	b, err := yaml.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return b, nil
}

// byClass lists what is said of each class, in their order.
func byClass(of func(harness.Class) (any, bool)) (out yaml.MapSlice) {
	for _, c := range harness.Classes {
		if v, ok := of(c); ok {
			out = append(out, yaml.MapItem{Key: Key(c), Value: v})
		}
	}
	return out
}

func (o Override) document() (out yaml.MapSlice) {
	switch {
	case o.Mishap != "":
		out = append(out, yaml.MapItem{Key: "without_answer", Value: o.Mishap})
	case o.Code != "":
		out = append(out, yaml.MapItem{Key: "status", Value: o.Status}, yaml.MapItem{Key: "code", Value: o.Code})
	default:
		out = append(out, yaml.MapItem{Key: "status", Value: o.Status})
	}
	return append(out, yaml.MapItem{Key: "class", Value: Key(o.Class)})
}

func (a Allowed) document() (out yaml.MapSlice) {
	if len(a.Effects) > 0 {
		out = append(out, yaml.MapItem{Key: "effects", Value: a.Effects})
	}
	if len(a.Targets) > 0 {
		out = append(out, yaml.MapItem{Key: "targets", Value: a.Targets})
	}
	return out
}
