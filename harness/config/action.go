package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// Action is the user's own action.
type Action struct {
	Effect      string            `yaml:"effect"`
	BusinessKey string            `yaml:"business_key"`
	Arguments   harness.Arguments `yaml:"-"`
	Changed     map[string]any    `yaml:"-"`
	Whole       map[string]any    `yaml:"-"`
}

// action reads the user's own action, with what changed and whole mean for it.
func (raw *file) action(f *located.File, c *Config) error {
	if raw.Action == nil {
		for key, m := range map[string]map[string]any{"changed": raw.Changed, "whole": raw.Whole} {
			if len(m) > 0 {
				return f.Errorf([]any{key}, "%s says how an action differs, and there is no action", key)
			}
		}
		return nil
	}
	if err := f.Plain([]any{"action", "arguments"}, likeNumber); err != nil {
		return err
	}
	a := &Action{Effect: raw.Action.Effect, BusinessKey: raw.Action.BusinessKey}
	for _, k := range slices.Sorted(maps.Keys(raw.Action.Arguments)) {
		if _, err := harness.NormalValue(raw.Action.Arguments[k]); err != nil {
			return f.Errorf([]any{"action", "arguments", k}, "%w", err)
		}
	}
	args, err := harness.NewArguments(raw.Action.Arguments)
	if err != nil {
		return f.Errorf([]any{"action", "arguments"}, "%w", err)
	}
	switch {
	case a.Effect == "":
		return f.Errorf([]any{"action", "effect"}, "effect is missing: what the action does, like refund")
	case a.BusinessKey == "":
		return f.Errorf([]any{"action", "business_key"}, "business_key is missing: the thing that is changed")
	case len(args) == 0:
		return f.Errorf([]any{"action", "arguments"}, "arguments are missing")
	}
	a.Arguments = args
	if a.Changed, err = pointers(f, "changed", raw.Changed, args); err != nil {
		return err
	}
	if a.Whole, err = pointers(f, "whole", raw.Whole, args); err != nil {
		return err
	}
	c.Action = a
	return nil
}

var numberRE = regexp.MustCompile(`(?i)^[-+]?(\.?inf(inity)?|\.?nan|[0-9][0-9_]*(\.[0-9]*)?(e[-+]?[0-9]+)?|\.[0-9]+(e[-+]?[0-9]+)?)$`)

// likeNumber refuses a text that another reader takes for a number that no argument
// may be: NaN, or 1e400.
func likeNumber(text string) string {
	if !numberRE.MatchString(text) {
		return ""
	}
	return fmt.Sprintf("%s is a text to one reader and a number to another: quote it, or write a whole number below 2^53", text)
}

// pointers reads RFC 6901 pointers with the values that stand there instead.
func pointers(f *located.File, key string, m map[string]any, args harness.Arguments) (map[string]any, error) {
	out := make(map[string]any, len(m))
	for _, p := range slices.Sorted(maps.Keys(m)) {
		changed, err := args.Set(p, m[p])
		if err != nil {
			return nil, f.Errorf([]any{key, p}, "%w", err)
		}
		if changed.Digest() == args.Digest() {
			return nil, f.Errorf([]any{key, p}, "%s has this value already", p)
		}
		out[p], _ = harness.NormalValue(m[p])
	}
	return out, nil
}
