package targets

import "github.com/retrydrill/drill/harness"

// asking is the room for what a request says. Its headers refer to the values key and
// auth, which are those of one request at a time.
type asking struct {
	kinds     []kind
	key, auth [1]string
	plain     plainValues
}

// kind is one kind of request, of which all have the same header but for those values: is
// is the one that was made last, of what was said in by, in the room of form and query.
type kind struct {
	of     headOf
	header map[string][]string
	by     said
	is     harness.RawRequest
	form   []byte
	query  spelling
}

type headOf struct {
	p                 *Profile
	op                *operation
	keyed, authorized bool
}

// said is what a request of a kind is made of; whole says that it is of nothing else.
type said struct {
	whole                          bool
	id, key, actionID, businessKey string
	normal                         *Normalised
	at                             page
}

// saidBy reports whether what [said] holds of a write is all that a request of it hangs on.
func (o *operation) saidBy(w *Write) bool {
	return len(o.rests) == 0 && (w.Normal != nil || !o.step && !o.argued)
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

// spelling is a text that is mostly spelled as it was before: then it is that one.
type spelling string

func (s *spelling) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if string(*s) != string(b) {
		*s = spelling(b)
	}
	return string(*s)
}
