package fakes

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retrydrill/drill/targets"
)

// input is what a request carries, as it was sent: a form (also a query), or a JSON
// object.
type input struct {
	form url.Values
	doc  map[string]any
}

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
	xmlType  = "application/xml"
)

// input reads body or query and refuses what is of the wrong kind.
func (f *Fake) input(r *http.Request, c *call, body []byte) (in input, bad *refusal) {
	text, op := r.URL.RawQuery, c.op
	inBody := op.Changes || f.p.HasBody(c.named.Op)
	switch {
	case inBody && text != "":
		return in, f.refuse("unknown", "", "Parameters stand in the body, not in the query.")
	case !inBody && len(body) > 0:
		return in, f.refuse("body", "", "A %s request has no body.", r.Method)
	case inBody:
		text = string(body)
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		want := wanted(op, kind)
		if len(body) > 0 && (err != nil || kind != want) {
			return in, f.refuse("body", "", "Invalid request (check that your %s content type is %s).", r.Method, want)
		}
		if len(op.XML) > 0 {
			if body, err := f.p.ReadXML(body); err == nil {
				return f.document(body)
			}
			return in, f.refuse("body", "", "The body is not well-formed XML.")
		}
		if want == jsonType {
			if in, bad = f.document(body); bad == nil && op.Body != "" {
				return f.within(in, op.Body)
			}
			return in, bad
		}
	}
	form, err := url.ParseQuery(text)
	if err != nil {
		return in, f.refuse("body", "", "The parameters are not well-formed: %s.", err)
	}
	return input{form: form}, nil
}

// wanted is the content type that a write has; kind is the one that it came with.
func wanted(op *targets.Operation, kind string) string {
	switch {
	case len(op.XML) > 0 && kind == "text/xml":
		return kind
	case len(op.XML) > 0:
		return xmlType
	case len(op.JSON) > 0 || (len(op.Form) == 0 && kind == jsonType):
		return jsonType
	}
	return formType
}

// document reads a JSON object. Null is the same as nothing; of a doubled key the
// last counts.
func (f *Fake) document(body []byte) (in input, bad *refusal) {
	if len(bytes.TrimSpace(body)) == 0 {
		return input{doc: map[string]any{}}, nil
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		return in, f.refuse("body", "", "The body is not well-formed JSON.")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&in.doc); err != nil || in.doc == nil {
		return in, f.refuse("body", "", "The body is not a JSON object.")
	}
	for name, v := range in.doc {
		if v == nil {
			delete(in.doc, name)
		}
	}
	return in, nil
}

// within returns what stands in the one field that holds all of a request.
func (f *Fake) within(in input, field string) (input, *refusal) {
	doc, ok := in.doc[field].(map[string]any)
	if !ok {
		return in, f.refuse("missing", field, "Missing required param: %s.", field)
	}
	for name := range in.doc {
		if name != field {
			return in, f.refuse("unknown", name, "Received unknown parameter: %s", name)
		}
	}
	for name, v := range doc {
		if v == nil {
			delete(doc, name)
		}
	}
	return input{doc: doc}, nil
}

// take removes a field and returns its text; a field that holds no text has none.
func (in input) take(name string) string {
	if name == "" {
		return ""
	}
	if in.doc == nil {
		v := in.form.Get(name)
		delete(in.form, name)
		return v
	}
	above, doc := strings.Split(name, "."), in.doc
	for _, step := range above[:len(above)-1] {
		doc, _ = doc[step].(map[string]any)
	}
	v, _ := doc[above[len(above)-1]].(string)
	delete(doc, above[len(above)-1])
	return v
}

// print spells the input so that two that say the same have one spelling.
func (in input) print() string {
	if in.doc == nil {
		return in.form.Encode()
	}
	return string(mustJSON(in.doc))
}

// flat returns a JSON object as the form that says the same, one level deep, or the
// name of a field whose type is not the one that is wanted.
func (in input) flat(accepts map[string]targets.Parameter) (form url.Values, wrong string) {
	form = url.Values{}
	for name, v := range in.doc {
		want, known := accepts[name]
		switch x := v.(type) {
		case map[string]any:
			if want.Type != "map" {
				wrong = name
			}
			for key, v := range x {
				form.Set(name+"["+key+"]", scalarText(v))
			}
		case []any:
			if want.Type != "list" {
				wrong = name
			}
			for _, v := range x {
				form.Add(name+"[]", scalarText(v))
			}
		default:
			_, number := v.(json.Number)
			_, boolean := v.(bool)
			if known && (number != (want.Type == "integer") || boolean != (want.Type == "boolean")) {
				wrong = name
			}
			form.Set(name, scalarText(v))
		}
	}
	return form, wrong
}

func scalarText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		return strconv.FormatBool(x)
	case nil:
		return ""
	}
	return string(mustJSON(v))
}
