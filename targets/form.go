package targets

import (
	"cmp"
	"net/url"
	"strconv"
)

// formRoom is the room for a form; most are shorter.
const formRoom = 192

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

// appendName writes what stands before a field's value.
func appendName(b []byte, escaped string) []byte {
	if len(b) > 0 {
		b = append(b, '&')
	}
	return append(append(b, escaped...), '=')
}

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

// unescaped are the bytes that stand in a form as they are.
var unescaped = func() (out [256]bool) {
	for c := range 256 {
		out[c] = url.QueryEscape(string([]byte{byte(c)})) == string([]byte{byte(c)})
	}
	return out
}()
