package targets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Write is one write as the executor wants it.
type Write struct {
	// Key is the idempotency key; empty sends none.
	Key string
	// ActionID is stamped on the object; empty leaves the reference out.
	ActionID    string
	BusinessKey string
	// Made maps an earlier step to the ID that it returned.
	Made      map[string]string
	Arguments harness.Arguments
	// Normal is what the profile made of Arguments, which are then its; nil where nobody
	// asked.
	Normal *Normalised
}

// Request builds the request of an operation: its path with query, header and body.
// The same write always gives the same bytes. Without an ID the path has the action
// ID, which is what a client that chooses its IDs chooses.
func (p *Profile) Request(operation, id string, w Write) (harness.RawRequest, error) {
	r, err := p.request(&asking{}, p.operation(operation), operation, id, &w, "", page{})
	if err != nil {
		return harness.RawRequest{}, err
	}
	return *r, nil
}

// request builds a request in the room for it. auth is the value of the header
// Authorization, or empty.
func (p *Profile) request(room *asking, op *operation, operation, id string, w *Write, auth string, at page) (*harness.RawRequest, error) {
	if op == nil {
		return nil, fmt.Errorf("profile %s has no operation %s", p.Name, operation)
	}
	k := p.kindOf(room, op, w.Key, auth)
	by := said{op.saidBy(w), id, w.Key, w.ActionID, w.BusinessKey, w.Normal, at}
	if by.whole && by == k.by {
		return &k.is, nil
	}
	k.by = said{}
	if err := p.build(k, room, op, operation, id, w, at); err != nil {
		return nil, err
	}
	if len(k.is.Body) <= mostForm {
		k.by = by
	}
	return &k.is, nil
}

// build makes the request in place of the one of its kind that was made last.
func (p *Profile) build(k *kind, room *asking, op *operation, operation, id string, w *Write, at page) error {
	if op.step && w.Normal == nil {
		if err := p.CheckAction(harness.Action{Name: w.ActionID, Arguments: w.Arguments}); err != nil {
			return err
		}
	}
	if missing := op.missing(w); missing != "" {
		return fmt.Errorf("%s: it carries the ID that %s returned, and none is given", operation, missing)
	}
	var text [formRoom]byte
	r := &k.is
	*r = harness.RawRequest{Method: op.Method, Path: op.pathOf(id, w), Header: k.header,
		Query: k.query.of(op.appendQuery(text[:0], w, at, &room.plain))}
	switch {
	case !op.hasBody():
	case op.isJSON, op.isXML:
		body, err := op.jsonOf(w, p.keyField)
		if err == nil && op.isXML {
			body, err = writeXML(body, "", p.Answers.ListItem)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
		r.Body = body
	default:
		if k.form == nil || cap(k.form) > mostForm {
			k.form = make([]byte, 0, formRoom)
		}
		r.Body = appendForm(k.form[:0], op.body, w, &room.plain)
		if k := p.Idempotency.Key; w.Key != "" && k.Body != "" && op.Changes {
			r.Body = room.plain.appendPair(r.Body, url.QueryEscape(p.keyField.form), w.Key)
		}
		k.form = r.Body[:0]
	}
	return nil
}

// pathOf fills the path's segments.
func (o *operation) pathOf(id string, w *Write) string {
	if o.fixed != "" {
		return o.fixed
	}
	out := make([]string, len(o.segments))
	for i, s := range o.segments {
		out[i] = s
		if s == idSegment {
			out[i] = url.PathEscape(cmp.Or(id, w.ActionID))
		} else if m := madeRE.FindStringSubmatch(s); m != nil {
			out[i] = url.PathEscape(w.Made[m[1]])
		}
	}
	return "/" + strings.Join(out, "/")
}

// missing names a step whose ID a write needs and does not have.
func (o *operation) missing(w *Write) string {
	for _, step := range o.rests {
		if w.Made[step] == "" {
			return step
		}
	}
	return ""
}

func (o *operation) jsonOf(w *Write, key field) ([]byte, error) {
	root := node{}
	within := root
	if o.Body != "" {
		within = node{}
		root.put(o.inside.steps, within)
	}
	for _, s := range o.body {
		if v, ok := s.value(w); ok {
			within.put(s.steps, v)
		}
	}
	if w.Key != "" && len(key.steps) > 0 && o.Changes {
		root.put(key.steps, w.Key)
	}
	return json.Marshal(root.json())
}
