package targets

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// pick returns the raw value that the keys lead to in a valid JSON text. Of a
// doubled key the last counts, as in encoding/json. It reads no more than it must,
// since it is asked at every request and answer.
func pick(b []byte, steps []string) (raw []byte, ok bool) {
	raw = bytes.TrimSpace(b)
	for _, step := range steps {
		var found []byte
		if n, ok := itemNumber(step); ok {
			i := 0
			eachItem(raw, func(item []byte) {
				if i == n {
					found = item
				}
				i++
			})
		}
		eachMember(raw, func(key, value []byte) {
			if sameKey(key, step) {
				found = value
			}
		})
		if found == nil {
			return nil, false
		}
		raw = found
	}
	return raw, len(raw) > 0
}

// itemNumber reads a step into a list; most steps are names.
func itemNumber(step string) (int, bool) {
	if step == "" || step[0] < '0' || step[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(step)
	return n, err == nil
}

// eachMember walks an object's members; anything else has none.
func eachMember(b []byte, visit func(key, value []byte)) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return
	}
	for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; {
		end := skipValue(b, i)
		key := b[i:end]
		i = skipSpace(b, end)
		if i >= len(b) || b[i] != ':' {
			return
		}
		i = skipSpace(b, i+1)
		end = skipValue(b, i)
		visit(key, b[i:end])
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
}

// eachItem walks an array's items and reports whether b is an array.
func eachItem(b []byte, visit func(item []byte)) bool {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '[' {
		return false
	}
	for i = skipSpace(b, i+1); i < len(b) && b[i] != ']'; {
		end := skipValue(b, i)
		if end == i {
			break
		}
		visit(b[i:end])
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the end of the value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if i >= len(b) {
				return len(b)
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return i
			}
			continue
		case ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth > 0 || (i+1 < len(b) && !endsScalar(b[i+1])) {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return min(i, len(b))
}

func endsScalar(c byte) bool {
	switch c {
	case ',', ':', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

func sameKey(quoted []byte, key string) bool {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == key
	}
	var s string
	return json.Unmarshal(quoted, &s) == nil && s == key
}

// text returns a scalar as the string that a form would carry: 1099, 1099.0 and
// "1099" are one. Null is nothing; a list or an object is its own text.
func text(raw []byte) (string, bool) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", false
	case raw[0] == '"':
		if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
			return string(inner), true
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return s, true
	case raw[0] == '-' || (raw[0] >= '0' && raw[0] <= '9'):
		if bytes.ContainsAny(raw, ".eE") {
			if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == float64(int64(f)) {
				return strconv.FormatInt(int64(f), 10), true
			}
		}
	}
	return string(raw), true
}
