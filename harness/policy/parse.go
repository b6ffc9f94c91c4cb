package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// file is a policy as it is written. Pointers tell what is left out from what is 0;
// durations are strings, so that a wrong one has a place of its own.
type file struct {
	RetryPolicy map[string]string `yaml:"retry_policy"`
	Limits      *limits           `yaml:"limits"`
	Stricter    []override        `yaml:"stricter"`
	Allow       *struct {
		Effects []string `yaml:"effects"`
		Targets []string `yaml:"targets"`
	} `yaml:"allow"`
}

type limits struct {
	MaxAttempts *int           `yaml:"max_attempts"`
	PerClass    map[string]int `yaml:"per_class"`
	TimeBudget  *string        `yaml:"time_budget"`
	RetryAfter  *string        `yaml:"retry_after"`
	Backoff     *struct {
		Initial *string  `yaml:"initial"`
		Factor  *float64 `yaml:"factor"`
		Max     *string  `yaml:"max"`
		Jitter  *string  `yaml:"jitter"`
	} `yaml:"backoff"`
}

type override struct {
	WithoutAnswer string `yaml:"without_answer"`
	Status        int    `yaml:"status"`
	Code          string `yaml:"code"`
	Class         string `yaml:"class"`
}

// maxAttempts and maxTime are the largest bounds that a document may name.
const (
	maxAttempts = 1000
	maxTime     = 366 * 24 * time.Hour
)

// Parse reads a policy document. The error is a [*located.Error], or several of them
// joined where keys are not known or values of another type: those are told at once, by
// the schema. What a value means is told by this package, which knows more of it.
func Parse(name string, b []byte) (Policy, error) {
	var raw file
	f, err := located.Decode(name, b, &raw)
	if err != nil {
		return Policy{}, cmp.Or(ofForm(name, b), err)
	}
	p := Default()
	p.file = f
	for _, read := range []func(*located.File, *Policy) error{raw.moves, raw.limits, raw.backoff, raw.stricter, raw.allow} {
		if err := read(f, &p); err != nil {
			return Policy{}, err
		}
	}
	return p, nil
}

func (raw *file) moves(f *located.File, p *Policy) error {
	if raw.RetryPolicy == nil && raw.Limits == nil && raw.Stricter == nil && raw.Allow == nil {
		return f.Errorf(nil, "the policy says nothing: expected retry_policy, limits, stricter or allow")
	}
	for _, key := range slices.Sorted(maps.Keys(raw.RetryPolicy)) {
		at := []any{"retry_policy", key}
		class, ok := byKey(key)
		if !ok {
			return f.Errorf(at, "there is no class %q: expected one of %s", key, classKeys())
		}
		move := Move(raw.RetryPolicy[key])
		if !slices.Contains(Moves, move) {
			return f.Errorf(at, "%s: there is no move %q: expected one of %s", key, move, list(Moves))
		}
		p.Moves[class] = move
	}
	return nil
}

func (raw *file) limits(f *located.File, p *Policy) error {
	r := raw.Limits
	if r == nil {
		return nil
	}
	if r.MaxAttempts != nil {
		if err := bounded(f, []any{"limits", "max_attempts"}, *r.MaxAttempts, 0); err != nil {
			return err
		}
		p.Limits.Attempts = *r.MaxAttempts
	}
	if err := span(f, []any{"limits", "time_budget"}, r.TimeBudget, &p.Limits.Budget); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(r.PerClass)) {
		at := []any{"limits", "per_class", key}
		class, ok := byKey(key)
		if !ok {
			return f.Errorf(at, "there is no class %q: expected one of %s", key, classKeys())
		}
		if err := bounded(f, at, r.PerClass[key], 1); err != nil {
			return err
		}
		if p.Limits.PerClass == nil {
			p.Limits.PerClass = map[harness.Class]int{}
		}
		p.Limits.PerClass[class] = r.PerClass[key]
	}
	if r.RetryAfter != nil {
		if *r.RetryAfter != "honour" && *r.RetryAfter != "ignore" {
			return f.Errorf([]any{"limits", "retry_after"}, "retry_after is %q: expected honour or ignore", *r.RetryAfter)
		}
		p.Limits.IgnoreRetryAfter = *r.RetryAfter == "ignore"
	}
	return nil
}

func (raw *file) backoff(f *located.File, p *Policy) error {
	if raw.Limits == nil || raw.Limits.Backoff == nil {
		return nil
	}
	r, b := raw.Limits.Backoff, &p.Limits.Backoff
	at := func(key string) []any { return []any{"limits", "backoff", key} }
	if err := span(f, at("initial"), r.Initial, &b.Initial); err != nil {
		return err
	}
	if err := span(f, at("max"), r.Max, &b.Max); err != nil {
		return err
	}
	if b.Max < b.Initial {
		if r.Max == nil {
			b.Max = b.Initial
		} else {
			return f.Errorf(at("max"), "max is %s, less than initial, which is %s", b.Max, b.Initial)
		}
	}
	if r.Factor != nil {
		if !(*r.Factor >= 1 && *r.Factor <= 100) || math.IsNaN(*r.Factor) {
			return f.Errorf(at("factor"), "factor is %v: expected 1 to 100", *r.Factor)
		}
		b.Factor = *r.Factor
	}
	if r.Jitter != nil {
		if !slices.Contains(Jitters, Jitter(*r.Jitter)) {
			return f.Errorf(at("jitter"), "there is no jitter %q: expected one of %s", *r.Jitter, list(Jitters))
		}
		b.Jitter = Jitter(*r.Jitter)
	}
	return nil
}

func (raw *file) stricter(f *located.File, p *Policy) error {
	for i, o := range raw.Stricter {
		at := func(key string) []any { return []any{"stricter", i, key} }
		class, ok := byKey(o.Class)
		switch {
		case !ok && o.Class == "":
			return f.Errorf([]any{"stricter", i}, "class is missing")
		case !ok:
			return f.Errorf(at("class"), "there is no class %q: expected one of %s", o.Class, classKeys())
		case o.WithoutAnswer != "" && (o.Status != 0 || o.Code != ""):
			return f.Errorf(at("without_answer"), "without_answer does not go with status or code: there was no answer")
		case o.WithoutAnswer == "" && (o.Status < 200 || o.Status > 599):
			return f.Errorf(at("status"), "status is %d: expected 200 to 599, or without_answer in its place", o.Status)
		}
		if o.WithoutAnswer != "" {
			m, ok := FindMishap(o.WithoutAnswer)
			if !ok {
				return f.Errorf(at("without_answer"), "there is no mishap %q: expected one of %s", o.WithoutAnswer, mishapIDs())
			}
			if !Stricter(m.Class, class) {
				return f.Errorf(at("class"), "%s is %s, and %s is not stricter: a policy may only make a class stricter", m.ID, Key(m.Class), o.Class)
			}
		}
		p.Overrides = append(p.Overrides, Override{Mishap: o.WithoutAnswer, Status: o.Status, Code: o.Code, Class: class})
	}
	return nil
}

func (raw *file) allow(f *located.File, p *Policy) error {
	if raw.Allow == nil {
		return nil
	}
	for key, names := range map[string][]string{"effects": raw.Allow.Effects, "targets": raw.Allow.Targets} {
		for i, name := range names {
			if name == "" {
				return f.Errorf([]any{"allow", key, i}, "%s: a name is empty", key)
			}
		}
	}
	p.Allow = Allowed{Effects: raw.Allow.Effects, Targets: raw.Allow.Targets}
	return nil
}

func bounded(f *located.File, at []any, n, low int) error {
	if n < low || n > maxAttempts {
		return f.Errorf(at, "%v is %d: expected %d to %d", at[len(at)-1], n, low, maxAttempts)
	}
	return nil
}

func span(f *located.File, at []any, in *string, out *time.Duration) error {
	if in == nil {
		return nil
	}
	d, err := time.ParseDuration(*in)
	if err != nil || d < 0 || d > maxTime {
		return f.Errorf(at, "%v: %q is no duration: expected one like 300ms, not negative, at most %s", at[len(at)-1], *in, maxTime)
	}
	*out = d
	return nil
}

func classKeys() string {
	keys := make([]string, 0, len(harness.Classes))
	for _, c := range harness.Classes {
		keys = append(keys, Key(c))
	}
	return strings.Join(keys, ", ")
}

func mishapIDs() string {
	ids := make([]string, 0, len(Mishaps))
	for _, m := range Mishaps {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, ", ")
}

func list[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return fmt.Sprint(strings.Join(words, ", "))
}
