package viasmtp

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// maxHeader bounds a header's value in bytes: a line has at most 998 (RFC 5322
// section 2.1.1), and ours are not folded.
const maxHeader = 900

// Compose writes the mail as it goes over the wire, between DATA and the final dot,
// without dot-stuffing. It refuses what could not be read back: an address that is
// none, a header that would end its line.
func (m Mail) Compose(date time.Time) ([]byte, error) {
	if len(m.To) == 0 {
		return nil, fmt.Errorf("mail: nobody is to get it")
	}
	for _, a := range append([]string{m.From}, m.To...) {
		if p, err := mail.ParseAddress(a); err != nil || p.Name != "" || p.Address != a {
			return nil, fmt.Errorf("mail: %q is no address", a)
		}
	}
	head := [][2]string{
		{"Date", date.Format(time.RFC1123Z)},
		{"From", m.From},
		{"To", strings.Join(m.To, ", ")},
		{"Subject", m.Subject},
	}
	if m.MessageID.Left != "" {
		head = append(head, [2]string{"Message-ID", m.MessageID.String()})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		switch lower := strings.ToLower(name); {
		case slices.Contains(described, lower):
			return nil, fmt.Errorf("mail: the header %s is made by drill", name)
		case lower == "from":
			head[1][1] = m.Headers[name]
		case lower == "to":
			head[2][1] = m.Headers[name]
		default:
			head = append(head, [2]string{name, m.Headers[name]})
		}
	}
	var b bytes.Buffer
	for _, h := range head {
		if err := writeHeader(&b, h[0], h[1]); err != nil {
			return nil, err
		}
	}
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	q := quotedprintable.NewWriter(&b)
	// Writing to memory does not fail.
	_, _ = q.Write([]byte(strings.ReplaceAll(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\n", "\r\n") + "\r\n"))
	_ = q.Close()
	return b.Bytes(), nil
}

// writeHeader writes one header. A value with a line end in it would be a header of
// its own: it is refused.
func writeHeader(b *bytes.Buffer, name, value string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
		return fmt.Errorf("mail: %q is no header's name (RFC 5322 section 2.2)", name)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("mail: the header %s holds a control character", name)
	}
	encoded := mime.QEncoding.Encode("utf-8", value)
	if len(encoded) > maxHeader {
		return fmt.Errorf("mail: the header %s is longer than %d bytes", name, maxHeader)
	}
	fmt.Fprintf(b, "%s: %s\r\n", name, encoded)
	return nil
}
