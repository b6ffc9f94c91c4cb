package main

import (
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/worker"
)

// builtins are the executors that drill brings, by name.
func builtins() map[string]worker.New {
	out := make(map[string]worker.New, len(reference.Executors)+len(reference.Mutants))
	for _, m := range reference.Mutants {
		if m.New != nil {
			out[m.Name] = m.New
		}
	}
	for _, t := range reference.SafeTwins {
		out[t.Name] = t.New
	}
	for _, e := range reference.Executors {
		out[e.Name] = e.New
	}
	return out
}

func executorNames() []string {
	var out []string
	for _, e := range reference.Executors {
		out = append(out, e.Name)
	}
	return out
}

// builtin refuses a name that is none.
func builtin(name string) error {
	if _, ok := builtins()[name]; ok {
		return nil
	}
	return fmt.Errorf("there is no executor %q: expected one of %s", name, strings.Join(executorNames(), ", "))
}
