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

var errorVariables = []string{"${type}", "${code}", "${name}", "${message}", "${param}"}

// ErrorJSON writes an error answer in the profile's own shape, as JSON: see
// [Profile.Wire].
func (p *Profile) ErrorJSON(e Problem) []byte {
	if e.Message == "" && p.Protocol == "" {
		e.Message = http.StatusText(e.Status)
	}
	kind, bare := p.errorType(e)
	code := e.Code
	if bare || code == kind {
		code = ""
	}
	root := node{}
	for _, f := range p.errorBody {
		value := f.template
		switch f.template {
		case "${type}":
			value = kind
		case "${code}":
			value = code
		case "${name}":
			if value = e.Code; value == "" {
				value = kind
			}
		case "${message}":
			value = e.Message
		case "${param}":
			value = e.Param
		}
		if value == "" {
			continue
		}
		root.put(f.at.steps, value)
	}
	b, err := json.Marshal(root.json())
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

// Error is an error answer in the profile's own shape.
func (n namer) Error(status int, code string) harness.RawAnswer {
	return harness.RawAnswer{
		Status: status,
		Header: map[string][]string{"Content-Type": {n.p.ContentType()}},
		Body:   n.p.Wire(n.p.ErrorJSON(Problem{Status: status, Code: code})),
	}
}
