package viasmtp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Reply is an SMTP reply: a code (RFC 5321 section 4.2), an enhanced code (RFC 3463)
// and a line of text.
type Reply struct {
	Code     int
	Enhanced [3]int
	Text     string
}

// answer is a reply in the shape that profiles read.
type answer struct {
	ID      string `json:"id,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// queued is what stands before the queue's ID in the reply to the final dot.
const queued = "Ok: queued as "

var enhancedRE = regexp.MustCompile(`^([245])\.(\d{1,3})\.(\d{1,3})(?: |$)`)

// ReplyOf turns an answer into a reply. A status that is no SMTP code at all is a
// local error in processing.
func ReplyOf(status int, body []byte) Reply {
	var a answer
	// What is no JSON says nothing but its status.
	_ = json.Unmarshal(body, &a)
	r := Reply{Code: status, Text: line(a.Message)}
	switch {
	case status >= 200 && status < 300:
		r.Code, r.Enhanced = 250, [3]int{2, 0, 0}
		if a.ID != "" {
			r.Text = line(queued + a.ID)
		}
		return r
	case status < 400 || status > 599:
		r.Code = 451
	}
	r.Enhanced = [3]int{r.Code / 100, 0, 0}
	if e, rest, ok := enhanced(a.Code); ok && rest == "" && e[0] == r.Code/100 {
		r.Enhanced = e
	}
	switch {
	case r.Text != "":
	case r.Code < 500:
		r.Text = "Not now"
	default:
		r.Text = "Refused"
	}
	return r
}

// String is the reply as it goes over the wire.
func (r Reply) String() string { return r.Head() + r.Rest() }

// Head is the reply's code, Rest what follows.
func (r Reply) Head() string { return fmt.Sprintf("%03d ", r.Code) }

// Rest is what follows the code, with the line's end.
func (r Reply) Rest() string {
	return fmt.Sprintf("%d.%d.%d %s\r\n", r.Enhanced[0], r.Enhanced[1], r.Enhanced[2], r.Text)
}

// answerOf turns a reply, as a client read it, into status and JSON body. A reply
// without an enhanced code gets the undefined one of its class, X.0.0.
func answerOf(code int, text string) (status int, body []byte) {
	a := answer{Message: text}
	e, rest, ok := enhanced(text)
	if !ok {
		e, rest = [3]int{code / 100, 0, 0}, text
	}
	a.Message = strings.TrimSpace(rest)
	if code/100 == 2 {
		a.ID = a.Message
		if _, id, ok := strings.Cut(a.Message, "queued as "); ok {
			a.ID = strings.TrimSpace(id)
		}
		if a.ID == "" {
			a.ID = fmt.Sprint(code)
		}
	} else {
		a.Code = fmt.Sprintf("%d.%d.%d", e[0], e[1], e[2])
	}
	// Strings marshal.
	body, _ = json.Marshal(a)
	return code, body
}

func enhanced(s string) (e [3]int, rest string, ok bool) {
	m := enhancedRE.FindStringSubmatch(s)
	if m == nil {
		return e, s, false
	}
	for i := range e {
		fmt.Sscan(m[i+1], &e[i])
	}
	return e, s[len(m[0]):], true
}

// line keeps a text to one line of printable ASCII.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 400)]
}
