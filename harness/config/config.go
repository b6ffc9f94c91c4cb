// Package config reads drill.yaml: which executor is drilled, what its environment
// is called, which action it is handed, what changed arguments are, and the limits
// it keeps. Every mistake is told with line, column and a caret.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
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
