package targets

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
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

// kindOf is the kind of a request, in the room for it, with the values of its header.
func (p *Profile) kindOf(room *asking, op *operation, key, auth string) *kind {
	of := headOf{p, op, key != "" && p.Idempotency.Key.Header != "" && op.Changes, auth != ""}
	if of.keyed {
		if room.key[0] = key; p.Idempotency.Key.Quoted {
			room.key[0] = QuoteKey(key)
		}
	}
	room.auth[0] = auth
	for i := range room.kinds {
		if k := &room.kinds[i]; k.of == of {
			return k
		}
	}
	header := make(map[string][]string, 4)
	if of.keyed {
		header[p.Idempotency.Key.Header] = room.key[:]
	}
	if kind := op.contentType(); kind != nil {
		header["Content-Type"] = kind
	}
	if of.authorized {
		header["Authorization"] = room.auth[:]
	}
	if len(room.kinds) == mostKinds {
		room.kinds = room.kinds[:0]
	}
	room.kinds = append(room.kinds, kind{of: of, header: header})
	return &room.kinds[len(room.kinds)-1]
}

// mostKinds bounds the kinds that are kept: an executor mostly does two things, over
// and over. mostForm bounds the body that is kept of each, in bytes.
const (
	mostKinds = 4
	mostForm  = 16 << 10
)

// saidBy reports whether what [said] holds of a write is all that a request of it hangs on.
func (o *operation) saidBy(w *Write) bool {
	return len(o.rests) == 0 && (w.Normal != nil || !o.step && !o.argued)
}

// contentType is that of the operation's body, or nil.
func (o *operation) contentType() []string {
	switch {
	case !o.hasBody():
		return nil
	case o.isXML:
		return xmlTypes
	case o.isJSON:
		return jsonTypes
	}
	return formTypes
}

// The headers' values belong to all requests: whoever wants another one sets a list of
// their own.
var (
	jsonTypes = []string{"application/json"}
	xmlTypes  = []string{"application/xml"}
	formTypes = []string{"application/x-www-form-urlencoded"}
)

// formRoom is the room for a form; most are shorter.
const formRoom = 192

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

// page is a look-up's: the first one, where there is no cursor. Asked is false where
// no page is asked for.
type page struct {
	asked  bool
	cursor string
}

// appendQuery writes the query, with what asks for a page, in the order of its names.
func (o *operation) appendQuery(b []byte, w *Write, at page, plain *plainValues) []byte {
	pg, cursor := o.Paging, at.cursor
	b = appendForm(b, o.query, w, plain)
	if pg == nil || !at.asked {
		return b
	}
	by := cmp.Or(pg.Cursor, pg.Number)
	if cursor != "" && by < pg.Size {
		b = plain.appendPair(b, url.QueryEscape(by), cursor)
	}
	if pg.Size != "" && pg.Page > 0 {
		b = strconv.AppendInt(appendName(b, url.QueryEscape(pg.Size)), int64(pg.Page), 10)
	}
	if cursor != "" && by >= pg.Size {
		b = plain.appendPair(b, url.QueryEscape(by), cursor)
	}
	return b
}

// appendForm writes the slots that have a value, in their order.
func appendForm(b []byte, slots []slot, w *Write, plain *plainValues) []byte {
	for i := range slots {
		s := &slots[i]
		if s.kind != argument {
			if text, ok := s.text(w); ok {
				b = plain.appendPair(b, s.escaped, text)
			}
			continue
		}
		switch v := w.Arguments[s.expr.name].(type) {
		case string:
			b = plain.appendPair(b, s.escaped, v)
			continue
		case int64:
			b = strconv.AppendInt(appendName(b, s.escaped), v, 10)
			continue
		}
		if v, ok := s.value(w); ok {
			b = plain.appendPair(b, s.escaped, argumentText(v))
		}
	}
	return b
}

// unescaped are the bytes that stand in a form as they are.
var unescaped = func() (out [256]bool) {
	for c := range 256 {
		out[c] = url.QueryEscape(string([]byte{byte(c)})) == string([]byte{byte(c)})
	}
	return out
}()

// plainValues are values that a form spells as they are. Most requests say what was said
// before: that is not looked through again.
type plainValues struct {
	known [4]string
	next  int
}

func (p *plainValues) has(value string) bool {
	for _, k := range &p.known {
		if k == value {
			return true
		}
	}
	for i := range len(value) {
		if !unescaped[value[i]] {
			return false
		}
	}
	p.known[p.next%len(p.known)] = value
	p.next++
	return true
}

// appendPair writes a field, whose name is escaped, behind those that are there.
func (p *plainValues) appendPair(b []byte, escaped, value string) []byte {
	b = appendName(b, escaped)
	if p.has(value) {
		return append(b, value...)
	}
	return append(b, url.QueryEscape(value)...)
}

// appendName writes what stands before a field's value.
func appendName(b []byte, escaped string) []byte {
	if len(b) > 0 {
		b = append(b, '&')
	}
	return append(append(b, escaped...), '=')
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

// value fills a slot; what comes out empty is left out.
func (s *slot) value(w *Write) (any, bool) {
	if s.kind == argument {
		v, ok := w.Arguments[s.expr.name]
		if s.set {
			v = sorted(v)
		}
		return v, ok
	}
	return s.text(w)
}

// text fills a slot that holds no argument.
func (s *slot) text(w *Write) (string, bool) {
	text := ""
	switch s.kind {
	case actionID:
		text = w.ActionID
	case madeID:
		text = w.Made[s.expr.name]
	case businessKey:
		text = w.BusinessKey
	case idempotencyKey:
		text = w.Key
	default:
		return s.expr.name, true
	}
	if s.before == "" && s.after == "" {
		return text, text != ""
	}
	return s.before + text + s.after, text != ""
}

const sigv4 = "AWS4-HMAC-SHA256"

// AccessKeyID returns the access key ID of an Authorization header in Signature
// Version 4, or nothing. The signature is not verified.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
func AccessKeyID(authorization string) string {
	rest, ok := strings.CutPrefix(authorization, sigv4+" ")
	for part := range strings.SplitSeq(rest, ",") {
		if credential, is := strings.CutPrefix(strings.TrimSpace(part), "Credential="); ok && is {
			id, _, _ := strings.Cut(credential, "/")
			return id
		}
	}
	return ""
}

// Authorize proves who sends a request, in the first of the profile's schemes.
func (p *Profile) Authorize(r *http.Request, token string) {
	if v := p.authorization(token); v != "" {
		r.Header.Set("Authorization", v)
	}
}

// authorization is the header's value, or empty where nothing is proven.
func (p *Profile) authorization(token string) string {
	if token == "" || len(p.Auth.Schemes) == 0 {
		return ""
	}
	switch p.Auth.Schemes[0] {
	case "basic":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":"))
	case "sigv4":
		// The signature is not verified, and so is none.
		return sigv4 + " Credential=" + token + "/20260101/us-east-1/service/aws4_request, SignedHeaders=host, Signature=none"
	}
	return "Bearer " + token
}
