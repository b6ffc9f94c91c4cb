package targets

import (
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// Namer returns the reader of requests and answers for the tap.
func (p *Profile) Namer() harness.Namer { return namer{p} }

// namer is a profile as the tap and the worlds ask it.
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
	if op.Changes {
		p.readWrite(op, read, &out)
	} else {
		op.readLookup(read, &out)
	}
	return out
}

// readWrite reads what a write says beside its business key. The resource is there.
func (p *Profile) readWrite(op *operation, read func(field) (string, bool), out *harness.Named) {
	if p.Idempotency.Key.Body != "" {
		out.Key, _ = read(p.keyField)
	}
	if p.reference != nil {
		if out.Reference, _ = read(*p.reference); op.IDs == "client" && p.reference.form == op.id.form {
			out.Reference = out.Resource
		}
	}
	if op.Undoes == "" {
		out.Arguments = digest(op.argumentSlots, fields(read))
	}
}

// readLookup reads what a look-up asks by.
func (o *operation) readLookup(read func(field) (string, bool), out *harness.Named) {
	for _, s := range o.asks() {
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
