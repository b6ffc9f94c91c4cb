package targets

import (
	"net/http"

	"github.com/retrydrill/drill/harness"
)

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
