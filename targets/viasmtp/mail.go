// Package viasmtp puts mail into the shape in which a profile reads and writes it,
// and carries requests of that shape over SMTP (RFC 5321).
//
// A mail is the request DATA / with a JSON body: envelope, message ID, subject,
// headers, text and the digest of its body. An answer is the reply to the final dot.
package viasmtp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retrydrill/drill/harness"
)

// Method is the method of a mail's request; its path is [Path].
const (
	Method = "DATA"
	Path   = "/"
)

// Mail is what one mail says.
type Mail struct {
	// From and To are the envelope's: To is a set.
	From string     `json:"from"`
	To   Recipients `json:"to"`
	// MessageID is the header of that name.
	MessageID MessageID `json:"message_id,omitzero"`
	Subject   string    `json:"subject,omitempty"`
	// Headers are the others, by their names in lower case, decoded; of a doubled one
	// the first. Date and what describes the body are left out: two mails that say
	// the same at two times are the same.
	Headers map[string]string `json:"headers,omitempty"`
	// Text is the plain text, with LF and without a newline at its end.
	Text string `json:"text,omitempty"`
	// BodySHA256 is the digest of the body as it came.
	BodySHA256 string `json:"body_sha256,omitempty"`
}

// MessageID is a msg-id of RFC 5322 section 3.6.4, as its two halves.
type MessageID struct {
	Left  string `json:"left"`
	Right string `json:"right,omitempty"`
}

// String writes it as a header field has it, in angle brackets.
func (m MessageID) String() string {
	if m.Right == "" {
		return "<" + m.Left + ">"
	}
	return "<" + m.Left + "@" + m.Right + ">"
}

func parseMessageID(s string) MessageID {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "<"), ">")
	left, right, _ := strings.Cut(s, "@")
	return MessageID{left, right}
}

// Recipients are a sorted set of addresses; one alone may be written as a string.
type Recipients []string

// UnmarshalJSON reads either form.
func (r *Recipients) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*r = NewRecipients(one)
		return nil
	}
	var all []string
	if err := json.Unmarshal(b, &all); err != nil {
		return fmt.Errorf("to: expected an address or a list of addresses: %w", err)
	}
	*r = NewRecipients(all...)
	return nil
}

// NewRecipients makes the set. Domains are compared without case (RFC 5321 section
// 2.4), local parts with it.
func NewRecipients(all ...string) Recipients {
	out := make(Recipients, 0, len(all))
	for _, a := range all {
		if local, domain, ok := cutLast(a, "@"); ok {
			a = local + "@" + strings.ToLower(domain)
		}
		if a != "" {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// described are the headers that are not among Mail.Headers.
var described = []string{"date", "subject", "message-id", "mime-version", "content-type", "content-transfer-encoding"}

// Parse reads a mail. A server takes any bytes for a mail (RFC 5321 section 3.3), so
// nothing is refused: what has no header is all body.
func Parse(from string, to []string, raw []byte) Mail {
	m := Mail{From: from, To: NewRecipients(to...)}
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		m.BodySHA256, m.Text = harness.Digest(raw), plain(raw)
		return m
	}
	words := mime.WordDecoder{}
	decoded := func(s string) string {
		if d, err := words.DecodeHeader(s); err == nil {
			s = d
		}
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	m.Subject = decoded(msg.Header.Get("Subject"))
	if id := msg.Header.Get("Message-ID"); id != "" {
		m.MessageID = parseMessageID(decoded(id))
	}
	for name, values := range msg.Header {
		name = strings.ToValidUTF8(strings.ToLower(name), "\uFFFD")
		if len(values) == 0 || slices.Contains(described, name) {
			continue
		}
		if m.Headers == nil {
			m.Headers = map[string]string{}
		}
		m.Headers[name] = decoded(values[0])
	}
	// Reading from memory does not fail.
	body, _ := io.ReadAll(msg.Body)
	m.BodySHA256 = harness.Digest(body)
	m.Text = text(msg.Header.Get("Content-Type"), msg.Header.Get("Content-Transfer-Encoding"), body)
	return m
}

// text is a body's plain text: its own, or that of the first part that is one.
func text(contentType, encoding string, body []byte) string {
	kind, params, err := mime.ParseMediaType(contentType)
	switch {
	case contentType != "" && err != nil:
		return ""
	case contentType == "" || kind == "text/plain":
		return plain(decode(encoding, body))
	case !strings.HasPrefix(kind, "multipart/"):
		return ""
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		p, err := parts.NextRawPart()
		if err != nil {
			return ""
		}
		if kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); kind != "text/plain" && kind != "" {
			continue
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return ""
		}
		return plain(decode(p.Header.Get("Content-Transfer-Encoding"), b))
	}
}

// decode undoes a content transfer encoding (RFC 2045 section 6); what is broken
// keeps what was readable.
func decode(encoding string, body []byte) []byte {
	var r io.Reader
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		r = quotedprintable.NewReader(bytes.NewReader(body))
	case "base64":
		r = base64.NewDecoder(base64.StdEncoding, bytes.NewReader(body))
	default:
		return body
	}
	out, _ := io.ReadAll(r)
	return out
}

func plain(b []byte) string {
	if !utf8.Valid(b) {
		return ""
	}
	return strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
}
