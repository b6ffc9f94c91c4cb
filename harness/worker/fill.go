package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// placeholder is a field of what is handed over: ${action_id}, ${arguments.amount}.
var placeholder = regexp.MustCompile(`\$\{([A-Za-z0-9_.-]+)\}`)

// ActionFields, EventFields and JobFields are what a request to a worker may name:
// each by its first part, of an action (with what the job says beside it), of a notice,
// and of a job with neither.
var (
	ActionFields = []string{"action_id", "business_key", "effect", "arguments", "arguments_sha256", "approval", "trigger_key", "delivery", "answer"}
	EventFields  = []string{"event", "delivery"}
	JobFields    = []string{"delivery", "trigger_key"}
)

// placeholders returns the fields that a text names.
func placeholders(s string) []string {
	var out []string
	for _, m := range placeholder.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

// Unknown returns the first field that a value of JSON or YAML names and that is none
// of the known ones, or nothing.
func Unknown(v any, known []string) string {
	switch x := v.(type) {
	case string:
		for _, name := range placeholders(x) {
			first, _, _ := strings.Cut(name, ".")
			if !slices.Contains(known, first) {
				return name
			}
		}
	case []any:
		for _, e := range x {
			if name := Unknown(e, known); name != "" {
				return name
			}
		}
	case map[string]any:
		for k, e := range x {
			if name := Unknown(k, nil); name != "" {
				return name
			}
			if name := Unknown(e, known); name != "" {
				return name
			}
		}
	}
	return ""
}

// fields are what is handed over, as decoded JSON.
type fields map[string]any

// fieldsOf are those of a document.
func fieldsOf(parts ...any) (fields, error) {
	out := fields{}
	for _, p := range parts {
		b, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err := d.Decode((*map[string]any)(&out)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// at returns the field of that name.
func (f fields) at(name string) (any, error) {
	if v, ok := harness.At(map[string]any(f), "/"+strings.ReplaceAll(name, ".", "/")); ok {
		return v, nil
	}
	return nil, fmt.Errorf("${%s}: what is handed over has no such field", name)
}

// fill puts the fields into a value of JSON: a text that is one placeholder becomes the
// field as it is, one in a longer text is written out.
func (f fields) fill(v any) (any, error) {
	switch x := v.(type) {
	case string:
		if m := placeholder.FindStringSubmatch(x); m != nil && m[0] == x {
			return f.at(m[1])
		}
		return f.text(x, func(s string) string { return s })
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			var err error
			if out[i], err = f.fill(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			var err error
			if out[k], err = f.fill(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// text writes the fields out in a text.
func (f fields) text(s string, escape func(string) string) (string, error) {
	var failed error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		v, err := f.at(m[2 : len(m)-1])
		if err != nil {
			failed = err
			return m
		}
		if s, ok := v.(string); ok {
			return escape(s)
		}
		b, err := json.Marshal(v)
		if err != nil {
			failed = err
		}
		return escape(string(b))
	})
	return out, failed
}

// path fills a path, so that a field stays one part of it.
func (f fields) path(s string) (string, error) { return f.text(s, url.PathEscape) }
