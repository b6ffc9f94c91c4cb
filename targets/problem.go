package targets

import (
	"encoding/json"
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// Problem is what an error answer tells.
type Problem struct {
	Status int
	Code   string
	// Message is for people; empty is the status's own text.
	Message string
	// Param is the parameter at fault.
	Param string
}

type errorField struct {
	at       field
	template string
}

var errorVariables = []string{"${type}", "${code}", "${message}", "${param}"}

// ErrorJSON writes an error answer in the profile's own shape.
func (p *Profile) ErrorJSON(e Problem) []byte {
	if e.Message == "" {
		e.Message = http.StatusText(e.Status)
	}
	kind, bare := p.errorType(e)
	code := e.Code
	if bare || code == kind {
		code = ""
	}
	root := map[string]any{}
	for _, f := range p.errorBody {
		value := f.template
		switch f.template {
		case "${type}":
			value = kind
		case "${code}":
			value = code
		case "${message}":
			value = e.Message
		case "${param}":
			value = e.Param
		}
		if value == "" {
			continue
		}
		put(root, f.at.steps, value)
	}
	b, err := json.Marshal(root)
	if err != nil {
		return []byte("{}")
	}
	return b
}

func (p *Profile) errorType(e Problem) (kind string, bare bool) {
	for _, t := range p.Document.ErrorBody.Types {
		if (t.Status == 0 || t.Status == e.Status) && e.Status >= t.From && (t.Code == "" || t.Code == e.Code) {
			return t.Type, t.Bare
		}
	}
	return "", false
}

// put sets a value in nested objects; one that is in the way is replaced.
func put(root map[string]any, steps []string, value any) {
	for _, s := range steps[:len(steps)-1] {
		next, ok := root[s].(map[string]any)
		if !ok {
			next = map[string]any{}
			root[s] = next
		}
		root = next
	}
	root[steps[len(steps)-1]] = value
}

// Error is an error answer in the profile's own shape.
func (n namer) Error(status int, code string) harness.RawAnswer {
	return harness.RawAnswer{
		Status: status,
		Header: map[string][]string{"Content-Type": {"application/json"}},
		Body:   n.p.ErrorJSON(Problem{Status: status, Code: code}),
	}
}
