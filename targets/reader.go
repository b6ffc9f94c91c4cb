package targets

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// reader returns what reads a field of the request's parameters.
func (o *operation) reader(r harness.RawRequest) func(field) (string, bool) {
	if o.isXML {
		doc, err := readXML(r.Body, "")
		if err != nil {
			return func(field) (string, bool) { return "", false }
		}
		return jsonReader(doc)
	}
	if o.hasBody() && o.readsJSON(r) {
		if !json.Valid(r.Body) {
			return func(field) (string, bool) { return "", false }
		}
		body, _ := pick(r.Body, o.inside.steps)
		return jsonReader(body)
	}
	form := r.Query
	if o.hasBody() {
		form = string(r.Body)
	}
	return func(f field) (string, bool) { return formValue(form, f.form) }
}

// readsJSON reports whether a body is JSON; one without fields of its own is what it
// says that it is.
func (o *operation) readsJSON(r harness.RawRequest) bool {
	if len(o.body) == 0 {
		return strings.HasPrefix(first(r.Header["Content-Type"]), "application/json")
	}
	return o.isJSON
}

func jsonReader(b []byte) func(field) (string, bool) {
	return func(f field) (string, bool) {
		raw, ok := pick(b, f.steps)
		if !ok {
			return "", false
		}
		return text(raw)
	}
}

// formValue returns the first value of a form's field. It parses no more than the
// names, since most requests are asked for three fields of four.
func formValue(form, name string) (string, bool) {
	for form != "" {
		var pair string
		pair, form, _ = strings.Cut(form, "&")
		key, value, _ := strings.Cut(pair, "=")
		if key != name {
			if !strings.ContainsAny(key, "%+") {
				continue
			}
			if k, err := url.QueryUnescape(key); err != nil || k != name {
				continue
			}
		}
		v, err := url.QueryUnescape(value)
		return v, err == nil
	}
	return "", false
}

// fields reads an argument where it stands in a body.
func fields(read func(field) (string, bool)) func(argumentSlot) (string, bool) {
	return func(s argumentSlot) (string, bool) {
		v, ok := read(s.at)
		if s.set {
			v = sortedText(v)
		}
		return v, ok
	}
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}
