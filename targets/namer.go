package targets

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Namer returns the reader of requests and answers for the tap.
func (p *Profile) Namer() harness.Namer { return namer{p} }

type namer struct{ p *Profile }

// readName reads a request. What it reads of the head is part of the key in Name.
func (n namer) readName(r harness.RawRequest) harness.Named {
	p := n.p
	op, id, made := p.route(r)
	out := harness.Named{Resource: id, Made: made}
	if h := p.Idempotency.Key.Header; h != "" {
		if v := r.Header[h]; len(v) > 0 {
			out.Key = p.readKey(v[0])
		}
	}
	if op == nil {
		switch r.Method {
		case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
			out.Changes = true
		}
		return out
	}
	out.Op, out.Changes = op.name, op.Changes
	if op.hasBody() && r.Body == nil {
		return out
	}
	read := op.reader(r)
	for _, f := range op.business {
		if v, ok := read(f); ok && v != "" {
			out.BusinessKey = v
			break
		}
	}
	for _, s := range op.body {
		if s.kind == madeID {
			if v, ok := read(s.field); ok && v != "" {
				out.Made = put(out.Made, s.expr.name, v)
			}
		}
	}
	if !op.Changes {
		for _, s := range op.asks() {
			text, _ := read(s.field)
			switch v, _ := s.inner(text); s.kind {
			case businessKey:
				out.BusinessKey = v
			case actionID:
				out.Reference = v
			case idempotencyKey:
				out.Key = v
			}
		}
		return out
	}
	if p.Idempotency.Key.Body != "" {
		out.Key, _ = read(p.keyField)
	}
	if p.reference != nil {
		if out.Reference, _ = read(*p.reference); op.IDs == "client" && p.reference.form == op.id.form {
			out.Reference = id
		}
	}
	if op.Undoes == "" {
		out.Arguments = digest(op.argumentSlots, fields(read))
	}
	return out
}

// readKey returns the key that a header's value holds; one that is not quoted as it
// should be is returned as it stands.
func (p *Profile) readKey(value string) string {
	if p.Idempotency.Key.Quoted {
		if key, ok := UnquoteKey(value); ok {
			return key
		}
	}
	return value
}

// asks are the slots of a read: those of its query, or of its body.
func (o *operation) asks() []slot {
	if o.hasBody() {
		return o.body
	}
	return o.query
}

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

// readAnswer reads an answer: the operation, the status and the body.
func (p *Profile) readAnswer(op string, a *harness.RawAnswer) harness.Answered {
	var out harness.Answered
	body, ok := p.unwire(a.Body)
	if !ok {
		out.Opaque = a.Status != http.StatusNoContent || len(a.Body) > 0
		return out
	}
	switch {
	case a.Status >= 200 && a.Status < 300:
		p.readSuccess(p.operation(op), body, &out)
	case a.Status >= 400:
		p.readError(body, &out)
	default:
		out.Opaque = true
	}
	return out
}

func (p *Profile) readSuccess(op *operation, body []byte, out *harness.Answered) {
	if op != nil && op.Object != "" {
		body, _ = pick(body, op.object.steps)
	}
	switch {
	case op == nil:
	case op.Items != "":
		list := p.eachOf(body, op.items, func(item []byte) {
			if o, ok := p.object(op, item); ok {
				out.Found = append(out.Found, o)
			} else {
				out.Opaque = true
			}
		})
		more, _ := pick(body, op.more.steps)
		told, _ := text(more)
		out.More = op.Paging != nil && told == "true"
		out.Opaque = out.Opaque || !list
	case op.ID == "":
	case op.Changes:
		out.Resource = op.resource(body)
		out.Opaque = out.Resource == ""
	default:
		o, ok := p.object(op, body)
		out.Resource, out.Opaque = o.Resource, !ok
		if ok {
			out.Found = []harness.Found{o}
		}
	}
}

// eachOf visits the items of a list, or of the lists that the items of one have.
func (p *Profile) eachOf(raw []byte, at []field, visit func(item []byte)) bool {
	list, ok := pick(raw, at[0].steps)
	if !ok {
		// XML writes a list of nothing as nothing, below a root that is there.
		_, root := pick(raw, at[0].steps[:1])
		return p.isXML() && root
	}
	whole := true
	item := visit
	if len(at) > 1 {
		item = func(b []byte) { whole = p.eachOf(b, at[1:], visit) && whole }
	}
	switch {
	case eachItem(list, item):
	case p.isXML() && string(list) == `""`:
	case p.isXML() && list[0] == '{':
		item(list)
	default:
		return false
	}
	return whole
}

// resource reads an object's ID.
func (o *operation) resource(raw []byte) string {
	id, _ := pick(raw, o.id.steps)
	s, _ := text(id)
	return s
}

// object reads one object; one without an ID is not of the profile's shape.
func (p *Profile) object(op *operation, raw []byte) (harness.Found, bool) {
	out := harness.Found{Resource: op.resource(raw)}
	if out.Resource == "" {
		return out, false
	}
	read := jsonReader(raw)
	if op.reference != nil {
		out.Reference, _ = read(*op.reference)
	}
	out.Arguments = digest(op.shown, fields(read))
	out.Undone = op.undone(read)
	return out, true
}

// undone reports whether a shown object has what an undo leaves.
func (o *operation) undone(read func(field) (string, bool)) bool {
	for _, l := range o.leaves {
		if v, ok := read(l.at); !ok || v != l.value {
			return false
		}
	}
	return len(o.leaves) > 0
}

func (p *Profile) readError(body []byte, out *harness.Answered) {
	for _, f := range p.errorCode {
		if raw, ok := pick(body, f.steps); ok {
			if code, ok := text(raw); ok && code != "" {
				out.Code = code
				return
			}
		}
	}
	out.Opaque = len(p.errorCode) > 0
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
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
