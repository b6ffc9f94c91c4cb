package dnsform

import (
	"fmt"
	"strings"
)

// maxString is the longest character-string in bytes (RFC 1035 section 3.3).
const maxString = 255

// written is plain data in presentation form: text is quoted, in pieces that fit.
func written(kind, data string) string {
	if kind != "TXT" {
		return data
	}
	var out []string
	for first := true; first || data != ""; first = false {
		n := min(len(data), maxString)
		out = append(out, quote(data[:n]))
		data = data[n:]
	}
	return strings.Join(out, " ")
}

// quote writes one character-string: RFC 1035 section 5.1 escapes by a backslash, and
// bytes by their decimal number.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plain is presentation form as a template names it: the text of a TXT record
// without quotes, its strings joined; anything else as it stands.
func plain(kind, data string) string {
	if kind != "TXT" {
		return data
	}
	var b strings.Builder
	inside := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			inside = !inside
		case c == '\\' && i+3 < len(data) && digits(data[i+1:i+4]):
			b.WriteByte((data[i+1]-'0')*100 + (data[i+2]-'0')*10 + data[i+3] - '0')
			i += 3
		case c == '\\' && i+1 < len(data):
			i++
			b.WriteByte(data[i])
		case c == ' ' && !inside:
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }
