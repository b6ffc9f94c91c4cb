package targets

import "strings"

// QuoteKey writes a key as a string of structured fields (RFC 8941 section 4.1.6).
func QuoteKey(key string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// UnquoteKey reads such a string (RFC 8941 section 4.2.5): printable ASCII in
// quotes, in which a backslash stands before a quote or a backslash alone. The
// parameters that an item may have are refused: no key needs them.
func UnquoteKey(s string) (key string, ok bool) {
	s = strings.Trim(s, " ")
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	for inner := s[1 : len(s)-1]; inner != ""; inner = inner[1:] {
		switch c := inner[0]; {
		case c < ' ' || c > '~' || c == '"':
			return "", false
		case c == '\\':
			if inner = inner[1:]; inner == "" || (inner[0] != '"' && inner[0] != '\\') {
				return "", false
			}
		}
		b.WriteByte(inner[0])
	}
	return b.String(), true
}
