package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/scenarios"
)

// executor reads which executor is meant, and how it is started and asked.
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

// env reads what the worker's environment is called.
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
