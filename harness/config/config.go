// Package config reads drill.yaml: which executor is drilled, what its environment
// is called, which action it is handed, what changed arguments are, and the limits
// it keeps. Every mistake is told with line, column and a caret.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/scenarios"
)

// Name is the file that is read where no other is named.
const Name = "drill.yaml"

// Config is what drill.yaml says. What it leaves out keeps its default.
type Config struct {
	// Executor is empty where the file names none.
	Executor harness.Executor
	// Target is a profile's name or path, or empty.
	Target string
	// Policy is the path of the retry policy that a built-in executor follows, or empty.
	Policy string
	// Action is nil where the profile's own is meant.
	Action *Action
	Limits harness.Limits
	// Deadlines: the file declares a deadline, a lease or a retention, which a worker
	// then keeps to.
	Deadlines bool
	// Attempts: the file declares max_attempts.
	Attempts bool
}

// Action is the user's own action.
type Action struct {
	Effect      string            `yaml:"effect"`
	BusinessKey string            `yaml:"business_key"`
	Arguments   harness.Arguments `yaml:"-"`
	Changed     map[string]any    `yaml:"-"`
	Whole       map[string]any    `yaml:"-"`
}

// file is drill.yaml as it is written.
type file struct {
	Executor *struct {
		Kind      string          `yaml:"kind"`
		Name      string          `yaml:"name"`
		Command   []string        `yaml:"command"`
		Serve     *served         `yaml:"serve"`
		Intercept []string        `yaml:"intercept"`
		Abilities map[string]bool `yaml:"abilities"`
	} `yaml:"executor"`
	Env    map[string]string `yaml:"env"`
	Target string            `yaml:"target"`
	Policy string            `yaml:"policy"`
	Action *struct {
		Effect      string         `yaml:"effect"`
		BusinessKey string         `yaml:"business_key"`
		Arguments   map[string]any `yaml:"arguments"`
	} `yaml:"action"`
	Changed map[string]any `yaml:"changed"`
	Whole   map[string]any `yaml:"whole"`
	Limits  limits         `yaml:"limits"`
}

// limits are pointers, so that what is left out can be told from what is 0. The
// durations are strings, so that a wrong one has a place of its own.
type limits struct {
	ClientDeadline *string `yaml:"client_deadline"`
	Lease          *string `yaml:"lease"`
	Retention      *string `yaml:"retention"`
	Delivery       *string `yaml:"delivery"`
	Trial          *string `yaml:"trial"`
	Quiet          *string `yaml:"quiet"`
	Deliveries     *int    `yaml:"deliveries"`
	Waits          *int    `yaml:"waits"`
	MaxAttempts    *int    `yaml:"max_attempts"`
	PolicyVersion  *string `yaml:"policy_version"`
}

// Default is a drill.yaml that says nothing.
func Default() Config { return Config{Limits: harness.DefaultLimits()} }

// Load reads the file at path. With path empty it reads [Name] where that exists,
// and is [Default] where it does not.
func Load(path string) (Config, error) {
	name := path
	if name == "" {
		name = Name
	}
	b, err := os.ReadFile(name)
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return Parse(name, b)
}

// Parse reads a drill.yaml. What is not of [Schema] is told all at once, what only the
// meaning shows one by one; each is a [*located.Error].
func Parse(name string, b []byte) (Config, error) {
	var raw file
	f, err := located.Read(name, b)
	if err != nil {
		return Config{}, err
	}
	if err := ofForm(f); err != nil {
		return Config{}, err
	}
	if err := f.Decode(&raw, yaml.Strict()); err != nil {
		return Config{}, err
	}
	c := Default()
	c.Target, c.Policy = raw.Target, raw.Policy
	for _, read := range []func(*located.File, *Config) error{raw.executor, raw.env, raw.action, raw.limits} {
		if err := read(f, &c); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

func (raw *file) executor(f *located.File, c *Config) error {
	e := raw.Executor
	if e == nil {
		return nil
	}
	at := func(steps ...any) []any { return append([]any{"executor"}, steps...) }
	kind := e.Kind
	if kind == "" {
		kind = "builtin"
		if len(e.Command) > 0 {
			kind = "exec"
		}
		if e.Serve != nil {
			kind = "serve"
		}
	}
	commanded := kind != "builtin"
	switch {
	case commanded && len(e.Command) == 0:
		return f.Errorf(at(), "command is missing: an executor of kind %s is a list of words, like [python3, worker.py]", kind)
	case commanded && e.Command[0] == "":
		return f.Errorf(at("command", 0), "the command is empty")
	case commanded && e.Name != "":
		return f.Errorf(at("name"), "name is that of a built-in executor, and this one has a command")
	case !commanded && len(e.Intercept) > 0:
		return f.KeyErrorf(at("intercept"), "a built-in executor gets the target's address: hosts are intercepted for a command")
	case kind != "serve" && e.Serve != nil:
		return f.KeyErrorf(at("serve"), "serve says how a worker of kind serve is asked, and this one is of kind %s", kind)
	case kind == "builtin" && len(e.Command) > 0:
		return f.Errorf(at("command"), "a built-in executor has a name and no command")
	}
	for _, a := range slices.Sorted(maps.Keys(e.Abilities)) {
		if !slices.Contains(scenarios.Abilities, a) {
			return f.Errorf(at("abilities", a), "there is no ability %q: expected one of %s", a, strings.Join(scenarios.Abilities, ", "))
		}
	}
	for i, host := range e.Intercept {
		if !hostRE.MatchString(host) {
			return f.Errorf(at("intercept", i), "%q is no host: expected a name alone, like api.stripe.com", host)
		}
	}
	how, err := e.Serve.read(f)
	if err != nil {
		return err
	}
	c.Executor = harness.Executor{Kind: kind, Name: e.Name, Command: e.Command, Serve: how, Intercept: e.Intercept, Abilities: e.Abilities}
	if how != nil && how.Mapped() {
		return shown(f, &c.Executor)
	}
	return nil
}

var (
	variableRE    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	hostRE        = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	placeholderRE = regexp.MustCompile(`\$\{([^}]*)\}`)
)

// Placeholders are what a value of env may hold, as ${name}; the last two are where a
// worker of kind serve is to listen.
var Placeholders = []string{"target_url", "target_token", "state_dir", "ca_file", "listen", "port"}

func (raw *file) env(f *located.File, c *Config) error {
	for _, k := range slices.Sorted(maps.Keys(raw.Env)) {
		at := []any{"env", k}
		switch {
		case !variableRE.MatchString(k):
			return f.Errorf(at, "%q is no name of a variable", k)
		case strings.HasPrefix(k, "DRILL_"):
			return f.Errorf(at, "%s is drill's own: variables that begin with DRILL_ can not be mapped", k)
		}
		for _, m := range placeholderRE.FindAllStringSubmatch(raw.Env[k], -1) {
			if !slices.Contains(Placeholders, m[1]) {
				return f.Errorf(at, "${%s} is not known: expected one of ${%s}", m[1], strings.Join(Placeholders, "}, ${"))
			}
			if c.Executor.Kind != "serve" && (m[1] == "listen" || m[1] == "port") {
				return f.Errorf(at, "${%s} is where a worker of kind serve listens, and this one is not of that kind", m[1])
			}
		}
	}
	if len(raw.Env) > 0 {
		c.Executor.Env = raw.Env
	}
	return nil
}

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

func (raw *file) limits(f *located.File, c *Config) error {
	l, r := &c.Limits, raw.Limits
	for _, d := range []struct {
		key string
		in  *string
		out *harness.Duration
	}{
		{"client_deadline", r.ClientDeadline, &l.ClientDeadline}, {"lease", r.Lease, &l.Lease}, {"retention", r.Retention, &l.Retention},
		{"delivery", r.Delivery, &l.Delivery}, {"trial", r.Trial, &l.Trial}, {"quiet", r.Quiet, &l.Quiet},
	} {
		if d.in == nil {
			continue
		}
		if err := d.out.UnmarshalText([]byte(*d.in)); err != nil {
			return f.Errorf([]any{"limits", d.key}, "%s: %w", d.key, err)
		}
		if d.out.D() < time.Millisecond {
			return f.Errorf([]any{"limits", d.key}, "%s is %s: expected at least 1ms", d.key, *d.in)
		}
	}
	c.Attempts = r.MaxAttempts != nil
	c.Deadlines = r.ClientDeadline != nil || r.Lease != nil || r.Retention != nil
	for _, n := range []struct {
		in, out *int
	}{{r.Deliveries, &l.Deliveries}, {r.Waits, &l.Waits}, {r.MaxAttempts, &l.MaxAttempts}} {
		if n.in != nil {
			*n.out = *n.in
		}
	}
	if r.PolicyVersion != nil {
		l.PolicyVersion = *r.PolicyVersion
	}
	return nil
}
