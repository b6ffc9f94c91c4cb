package fakes

import (
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retrydrill/drill/targets"
)

// params are a request's parameters, checked against what the operation accepts.
type params struct {
	scalars map[string]string
	maps    map[string]map[string]string
	lists   map[string][]string
	// doc is the JSON object that was sent, if one was; objects are those of its
	// fields that were not looked into, wrong is one of another type than declared.
	doc     map[string]any
	objects []string
	wrong   string
}

func (p *params) has(name string) bool { _, ok := p.scalars[name]; return ok }

func (p *params) integer(name string, otherwise int64) int64 {
	n, err := strconv.ParseInt(p.scalars[name], 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

// params checks what was sent. Parameters are looked at in sorted order, so that the
// same request is always refused for the same mistake.
func (f *Fake) params(op *targets.Operation, in input) (*params, *refusal) {
	p := &params{scalars: map[string]string{}, doc: in.doc}
	form := in.form
	if in.doc != nil {
		form = f.documentForm(p, op, in)
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, full := range names {
		if len(op.Accepts) == 0 {
			p.scalars[full] = form.Get(full)
			continue
		}
		if bad := f.param(p, op, full, form[full]); bad != nil {
			return nil, bad
		}
	}
	if p.wrong != "" {
		return nil, f.refuse(kindOf(op.Accepts[p.wrong]), p.wrong, "Invalid %s: %s", op.Accepts[p.wrong].Type, p.wrong)
	}
	return p, f.complete(p, op)
}

// documentForm returns the part of a JSON object that is checked as a form is. With
// nothing declared, and for an object, any JSON is lawful.
func (f *Fake) documentForm(p *params, op *targets.Operation, in input) url.Values {
	if len(op.Accepts) == 0 {
		return nil
	}
	checked := input{doc: map[string]any{}}
	for name, v := range in.doc {
		if op.Accepts[name].Type == "object" {
			p.objects = append(p.objects, name)
			continue
		}
		checked.doc[name] = v
	}
	form, wrong := checked.flat(op.Accepts)
	p.wrong = wrong
	return form
}

func kindOf(want targets.Parameter) string {
	if want.Type == "integer" {
		return "integer"
	}
	return "invalid"
}

// complete refuses what lacks a parameter.
func (f *Fake) complete(p *params, op *targets.Operation) *refusal {
	missing := ""
	for name, want := range op.Accepts {
		if want.Required && (missing == "" || name < missing) &&
			!p.has(name) && len(p.maps[name]) == 0 && len(p.lists[name]) == 0 && !slices.Contains(p.objects, name) {
			missing = name
		}
	}
	if missing != "" {
		return f.refuse("missing", missing, "Missing required param: %s.", missing)
	}
	given := 0
	for _, name := range op.ExactlyOne {
		if p.has(name) {
			given++
		}
	}
	if len(op.ExactlyOne) > 0 && given != 1 {
		kind := "missing"
		if given > 1 {
			kind = "invalid"
		}
		return f.refuse(kind, op.ExactlyOne[0], "One of these params is required, and only one: %s.", strings.Join(op.ExactlyOne, ", "))
	}
	return nil
}

// param reads one form field: name, name[key], name[] or name[0].
func (f *Fake) param(p *params, op *targets.Operation, full string, values []string) *refusal {
	name, key, bracket := strings.Cut(full, "[")
	want, known := op.Accepts[name]
	if outer, _, dotted := strings.Cut(full, "."); f.p.FormNames == "dots" && dotted {
		if op.Accepts[outer].Type != "object" || len(values) != 1 {
			return f.refuse("unknown", full, "Received unknown parameter: %s", full)
		}
		p.objects = append(p.objects, outer)
		p.scalars[full] = values[0]
		return f.text(full, values[0])
	}
	if !known {
		return f.refuse("unknown", full, "Received unknown parameter: %s", full)
	}
	if bad := f.text(name, append([]string{full}, values...)...); bad != nil {
		return bad
	}
	if bracket {
		var ok bool
		if key, ok = strings.CutSuffix(key, "]"); !ok || strings.ContainsAny(key, "[]") {
			return f.refuse("invalid", name, "Invalid name: %s", full)
		}
	}
	switch {
	case want.Type == "list" && bracket && index(key):
		if p.lists == nil {
			p.lists = map[string][]string{}
		}
		p.lists[name] = append(p.lists[name], values...)
		return nil
	case len(values) != 1:
		return f.refuse("invalid", name, "The parameter %s stands in the request more than once.", full)
	case want.Type == "map" && bracket && key != "":
		return f.mapEntry(p, want, name, key, values[0])
	case want.Type == "map" && !bracket && values[0] == "":
		// An empty map unsets all keys.
		return nil
	case bracket || want.Type == "map" || want.Type == "list":
		return f.refuse("invalid", name, "Invalid %s: %s", want.Type, full)
	}
	p.scalars[name] = values[0]
	return f.scalar(want, name, values[0])
}

// text refuses what is no text.
func (f *Fake) text(name string, all ...string) *refusal {
	for _, v := range all {
		if !utf8.ValidString(v) {
			return f.refuse("invalid", name, "Invalid UTF-8 in %s.", name)
		}
	}
	return nil
}

// index reports whether a list's brackets hold nothing or a number.
func index(key string) bool {
	return len(key) <= 4 && strings.Trim(key, "0123456789") == ""
}

func (f *Fake) scalar(want targets.Parameter, name, v string) *refusal {
	if v == "" {
		return f.refuse("empty", name, "You passed an empty string for '%s'.", name)
	}
	switch {
	case want.Type == "integer":
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != v {
			return f.refuse("integer", name, "Invalid integer: %s", v)
		}
		if n < want.Min || (want.Max > 0 && n > want.Max) {
			return f.refuse("integer", name, "This value must be from %d to %d (it currently is '%s').", want.Min, want.Max, v)
		}
	case len(want.OneOf) > 0 && !slices.Contains(want.OneOf, v):
		return f.refuse("invalid", name, "Invalid %s: must be one of %s", name, strings.Join(want.OneOf, ", "))
	case want.Max > 0 && int64(utf8.RuneCountInString(v)) > want.Max:
		return f.refuse("invalid", name, "Invalid %s: it is longer than %d characters", name, want.Max)
	case !strings.HasPrefix(v, want.Prefix) || (want.Prefix != "" && len(v) == len(want.Prefix)):
		return f.refuse("object", name, "No such %s: '%s'", name, v)
	}
	return nil
}

func (f *Fake) mapEntry(p *params, want targets.Parameter, name, key, value string) *refusal {
	switch {
	case want.MaxKey > 0 && utf8.RuneCountInString(key) > want.MaxKey:
		return f.refuse("invalid", name, "%s keys are up to %d characters long.", name, want.MaxKey)
	case want.Max > 0 && int64(utf8.RuneCountInString(value)) > want.Max:
		return f.refuse("invalid", name, "%s values are up to %d characters long.", name, want.Max)
	case want.MaxKeys > 0 && len(p.maps[name]) >= want.MaxKeys:
		return f.refuse("invalid", name, "%s has up to %d keys.", name, want.MaxKeys)
	}
	if p.maps == nil {
		p.maps = map[string]map[string]string{}
	}
	if p.maps[name] == nil {
		p.maps[name] = map[string]string{}
	}
	p.maps[name][key] = value
	return nil
}
