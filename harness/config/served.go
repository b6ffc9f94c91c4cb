package config

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/internal/located"
)

// served is executor.serve as it is written.
type served struct {
	Ready   string   `yaml:"ready"`
	Deliver *ask     `yaml:"deliver"`
	Recover *ask     `yaml:"recover"`
	Event   *ask     `yaml:"event"`
	Answers []answer `yaml:"answers"`
}

type ask struct {
	Request string            `yaml:"request"`
	Headers map[string]string `yaml:"headers"`
	Body    any               `yaml:"body"`
}

type answer struct {
	Status     int    `yaml:"status"`
	Field      string `yaml:"field"`
	Is         any    `yaml:"is"`
	Outcome    string `yaml:"outcome"`
	ResourceID string `yaml:"resource_id"`
	ErrorClass string `yaml:"error_class"`
	WaitsFor   string `yaml:"waits_for"`
}

// read returns how the worker is asked.
func (s *served) read(f *located.File) (*harness.Served, error) {
	if s == nil {
		return nil, nil
	}
	at := func(steps ...any) []any { return append([]any{"executor", "serve"}, steps...) }
	out := &harness.Served{Ready: s.Ready}
	if s.Ready != "" && !strings.HasPrefix(s.Ready, "/") {
		return nil, f.Errorf(at("ready"), "ready is %q: expected a path, like /healthz", s.Ready)
	}
	fields := worker.JobFields
	if len(s.Answers) > 0 {
		fields = worker.ActionFields
	}
	for _, a := range []struct {
		key    string
		in     *ask
		out    **harness.Ask
		fields []string
	}{
		{"deliver", s.Deliver, &out.Deliver, fields},
		{"recover", s.Recover, &out.Recover, worker.JobFields},
		{"event", s.Event, &out.Event, worker.EventFields},
	} {
		var err error
		if *a.out, err = a.in.read(f, at(a.key), a.fields); err != nil {
			return nil, err
		}
	}
	if len(s.Answers) == 0 {
		switch {
		case s.Deliver != nil && s.Deliver.Body != nil:
			return nil, f.KeyErrorf(at("deliver", "body"), "a worker that is asked in words of its own needs answers: what each of its answers means")
		case s.Recover != nil || s.Event != nil:
			return nil, f.Errorf(at(), "recover and event are for a worker with answers of its own: without, both are jobs of the worker protocol, and come with deliver")
		}
	}
	for i, a := range s.Answers {
		read, err := a.read(f, at("answers", i))
		if err != nil {
			return nil, err
		}
		out.Answers = append(out.Answers, read)
	}
	return out, nil
}

// read returns the request, whose texts may name the fields.
func (a *ask) read(f *located.File, at []any, known []string) (*harness.Ask, error) {
	if a == nil {
		return nil, nil
	}
	in := func(step any) []any { return append(slices.Clone(at), step) }
	method, path, ok := strings.Cut(a.Request, " ")
	if !ok || method == "" || strings.ToUpper(method) != method || !strings.HasPrefix(path, "/") {
		return nil, f.Errorf(in("request"), "request is %q: expected a method and a path, like POST /refunds", a.Request)
	}
	if _, err := http.NewRequest(method, "http://worker", nil); err != nil {
		return nil, f.Errorf(in("request"), "request is %q: %w", a.Request, err)
	}
	unknown := func(step any, v any) error {
		if name := worker.Unknown(v, known); name != "" {
			return f.Errorf(in(step), "${%s} is not known here: expected one of ${%s}", name, strings.Join(known, "}, ${"))
		}
		return nil
	}
	if err := unknown("request", path); err != nil {
		return nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(a.Headers)) {
		if err := unknown("headers", a.Headers[k]); err != nil {
			return nil, err
		}
	}
	if err := unknown("body", a.Body); err != nil {
		return nil, err
	}
	return &harness.Ask{Method: method, Path: path, Headers: a.Headers, Body: a.Body}, nil
}

// read returns what the answer means.
func (a answer) read(f *located.File, at []any) (harness.Answer, error) {
	in := func(step any) []any { return append(slices.Clone(at), step) }
	out := harness.Answer{Status: a.Status, Field: a.Field, Is: a.Is, Outcome: harness.Outcome(a.Outcome),
		ResourceID: a.ResourceID, ErrorClass: a.ErrorClass, WaitsFor: a.WaitsFor}
	for _, p := range []struct{ key, pointer string }{{"field", a.Field}, {"resource_id", a.ResourceID}} {
		if p.pointer != "" && !strings.HasPrefix(p.pointer, "/") {
			return out, f.Errorf(in(p.key), "%s is %q: expected a pointer into the answer (RFC 6901), like /refund/id", p.key, p.pointer)
		}
	}
	switch {
	case a.Outcome == "":
		return out, f.Errorf(at, "outcome is missing: what the answer means, like done")
	case a.Is != nil && a.Field == "":
		return out, f.Errorf(in("is"), "is says what stands at field, and there is none")
	case a.Outcome == string(harness.Done) && a.ResourceID == "":
		return out, f.Errorf(at, "resource_id is missing: where an answer that means done names what was made")
	case a.Outcome == string(harness.Waiting) && a.WaitsFor == "":
		return out, f.Errorf(at, "waits_for is missing: worker, or approval")
	}
	return out, nil
}

// shown declares what can be seen from how the worker is asked.
func shown(f *located.File, e *harness.Executor) error {
	can := map[string]bool{
		"hears-events": e.Serve.Event != nil,
		"waits": slices.ContainsFunc(e.Serve.Answers, func(a harness.Answer) bool {
			return a.Outcome == harness.Waiting && a.WaitsFor == harness.ForApproval
		}),
	}
	lacks := map[string]string{"hears-events": "no event request", "waits": "no answer that waits for approval"}
	abilities := maps.Clone(e.Abilities)
	for _, name := range slices.Sorted(maps.Keys(can)) {
		if can[name] {
			continue
		}
		if e.Abilities[name] {
			return f.Errorf([]any{"executor", "abilities", name}, "%s is declared, and there is %s under executor.serve", name, lacks[name])
		}
		if abilities == nil {
			abilities = map[string]bool{}
		}
		abilities[name] = false
	}
	e.Abilities = abilities
	return nil
}
