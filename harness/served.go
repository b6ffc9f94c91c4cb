package harness

import (
	"fmt"
	"strconv"
	"strings"
)

// Served says how a long-running worker is asked over HTTP. Where Deliver and Answers
// are left out, the worker speaks the worker protocol: the job is the request's body,
// and the reports are the answer's.
type Served struct {
	// Ready is the path of a GET that is answered with 2xx once the worker can be asked;
	// empty waits until its port accepts a connection.
	Ready string `json:"ready,omitempty" yaml:"ready,omitempty"`
	// Deliver hands over one action; Event what the target told by itself. Recover is
	// made to a worker that has just started and is handed nothing; nil makes none.
	Deliver *Ask `json:"deliver,omitempty" yaml:"deliver,omitempty"`
	Recover *Ask `json:"recover,omitempty" yaml:"recover,omitempty"`
	Event   *Ask `json:"event,omitempty" yaml:"event,omitempty"`
	// Answers say what came of an action: the first that fits. An answer that none
	// fits is a failed delivery.
	Answers []Answer `json:"answers,omitempty" yaml:"answers,omitempty"`
}

// Ask is a request to a worker. ${…} is a field of what is handed over.
type Ask struct {
	Method  string            `json:"method" yaml:"method"`
	Path    string            `json:"path" yaml:"path"`
	Headers map[string]string `json:"headers,omitempty" yaml:"headers,omitempty"`
	// Body is JSON; nil is the action, the notice or the job itself.
	Body any `json:"body,omitempty" yaml:"body,omitempty"`
}

// Answer says which answers of a worker mean which outcome.
type Answer struct {
	// Status is the HTTP status; 0 is any of 200 to 299.
	Status int `json:"status,omitempty" yaml:"status,omitempty"`
	// Field is a pointer (RFC 6901) into the answer's JSON, at which Is stands; with
	// Is nil, at which anything stands.
	Field string `json:"field,omitempty" yaml:"field,omitempty"`
	Is    any    `json:"is,omitempty" yaml:"is,omitempty"`

	Outcome Outcome `json:"outcome" yaml:"outcome"`
	// ResourceID is a pointer to the target's ID of what was made. ErrorClass is a class,
	// or a pointer to where the answer names it.
	ResourceID string `json:"resource_id,omitempty" yaml:"resource_id,omitempty"`
	ErrorClass string `json:"error_class,omitempty" yaml:"error_class,omitempty"`
	WaitsFor   string `json:"waits_for,omitempty" yaml:"waits_for,omitempty"`
}

// Mapped reports whether each action is a request of its own, in the worker's own
// words, rather than a job of the worker protocol.
func (s Served) Mapped() bool { return len(s.Answers) > 0 }

// Fits returns what the answer means, where it fits: body is its JSON, or nil where it
// has none.
func (a Answer) Fits(status int, body any) (Report, bool) {
	if a.Status != status && (a.Status != 0 || status < 200 || status > 299) {
		return Report{}, false
	}
	if a.Field != "" {
		v, ok := At(body, a.Field)
		if !ok || a.Is != nil && !same(v, a.Is) {
			return Report{}, false
		}
	}
	r := Report{Outcome: a.Outcome, ErrorClass: a.ErrorClass, WaitsFor: a.WaitsFor}
	if a.ResourceID != "" {
		r.Resource = text(body, a.ResourceID)
	}
	if strings.HasPrefix(a.ErrorClass, "/") {
		r.ErrorClass = text(body, a.ErrorClass)
	}
	return r, true
}

// same compares decoded JSON with what YAML said.
func same(v, want any) bool { return fmt.Sprint(v) == fmt.Sprint(want) }

// text is what stands at a pointer, or nothing.
func text(v any, pointer string) string {
	if v, ok := At(v, pointer); ok && v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// At returns what stands at a pointer (RFC 6901) in decoded JSON.
func At(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch x := v.(type) {
		case map[string]any:
			inner, ok := x[unescapePointer.Replace(part)]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}
