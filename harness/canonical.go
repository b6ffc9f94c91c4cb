package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns the RFC 8785 form. It is written straight from the values, since
// it is asked for at every step of a trial; a test holds it against a reader and
// writer of RFC 8785 that is not ours.
func (a Arguments) Canonical() ([]byte, error) { return a.appendCanonical(make([]byte, 0, 128)) }

func (a Arguments) appendCanonical(b []byte) ([]byte, error) {
	out, ok := appendCanonical(b, map[string]any(a))
	if ok {
		return out, nil
	}
	// What is not normalised yet is, and what can not be is refused with its place.
	n, err := NewArguments(a)
	if err != nil {
		return nil, err
	}
	if out, ok = appendCanonical(b, map[string]any(n)); !ok {
		return nil, fmt.Errorf("%w: a name in %q is no UTF-8", ErrArguments, n)
	}
	return out, nil
}

// appendCanonical writes a normalised value. It reports false where there is another.
func appendCanonical(b []byte, v any) (_ []byte, ok bool) {
	switch x := v.(type) {
	case string:
		return AppendQuoted(b, x), true
	case bool:
		return strconv.AppendBool(b, x), true
	case int64:
		return strconv.AppendInt(b, x, 10), x <= maxSafeInteger && x >= -maxSafeInteger
	case []any:
		b = append(b, '[')
		for i, e := range x {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendCanonical(b, e); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case map[string]any:
		return appendObject(b, x)
	}
	return b, false
}

func appendObject(b []byte, x map[string]any) (_ []byte, ok bool) {
	var few [8]string
	keys := few[:0]
	for k := range x {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if !utf8.ValidString(k) {
			return b, false
		}
		b = append(AppendQuoted(b, k), ':')
		if b, ok = appendCanonical(b, x[k]); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// compareKeys orders by UTF-16 code units (RFC 8785 section 3.2.3), which is the order
// of bytes as long as no character is outside the basic plane.
func compareKeys(a, b string) int {
	if astral(a) || astral(b) {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	}
	return strings.Compare(a, b)
}

// astral reports whether a character of s is outside the basic plane: in UTF-8 those
// alone begin with such a byte.
func astral(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xf0 {
			return true
		}
	}
	return false
}

// AppendQuoted writes a JSON string as RFC 8785 section 3.2.2.2 asks: only quote,
// backslash and control characters are escaped.
func AppendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	if plain(s) {
		return append(append(b, s...), '"')
	}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ':
			b = utf8.AppendRune(b, r)
		case r == '\b':
			b = append(b, '\\', 'b')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\f':
			b = append(b, '\\', 'f')
		case r == '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		}
	}
	return append(b, '"')
}

// plain reports whether s is ASCII of which nothing is escaped.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
