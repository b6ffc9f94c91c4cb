package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxArguments bounds the arguments of one action as they are read, in bytes.
const maxArguments = 1 << 20

// maxDepth bounds how deep arguments nest.
const maxDepth = 64

// ErrAmbiguous is returned for JSON that two readers may read as two things: a key
// that stands twice in an object, a surrogate without its other half, bytes that are
// no UTF-8 (RFC 7493 sections 2.1 and 2.3, RFC 8259 section 4).
var ErrAmbiguous = errors.New("readers may differ on this JSON")

// ReadArguments reads one JSON object strictly: what is ambiguous is refused with
// [ErrAmbiguous], what is no argument or too large with [ErrArguments].
func ReadArguments(raw []byte) (Arguments, error) {
	if len(raw) > maxArguments {
		return nil, fmt.Errorf("%w: they are %d bytes, expected at most %d", ErrArguments, len(raw), maxArguments)
	}
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%w: it is no UTF-8", ErrAmbiguous)
	}
	if at := loneSurrogate(raw); at >= 0 {
		return nil, fmt.Errorf("%w: a surrogate without its other half at byte %d", ErrAmbiguous, at)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readValue(d, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the object", ErrArguments)
	}
	switch m := v.(type) {
	case nil:
		return Arguments{}, nil
	case map[string]any:
		return NewArguments(m)
	}
	return nil, fmt.Errorf("%w: expected an object, not %T", ErrArguments, v)
}

// readValue reads the next value; at is its pointer.
func readValue(d *json.Decoder, at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: they nest deeper than %d", ErrArguments, maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	switch t {
	case json.Delim('{'):
		return readObject(d, at, depth)
	case json.Delim('['):
		out := []any{}
		for d.More() {
			v, err := readValue(d, at+"/"+strconv.Itoa(len(out)), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, closing(d)
	}
	return t, nil
}

func readObject(d *json.Decoder, at string, depth int) (any, error) {
	out := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrArguments, err)
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%w: %s has a key that is no string", ErrArguments, at)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%w: the key %q stands twice in %s", ErrAmbiguous, key, at+"/")
		}
		if out[key], err = readValue(d, at+"/"+key, depth+1); err != nil {
			return nil, err
		}
	}
	return out, closing(d)
}

// closing reads the bracket that ends a list or an object.
func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return nil
}

// loneSurrogate returns where an escape stands for half a character, or -1. In JSON a
// backslash stands in strings alone.
func loneSurrogate(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		u, ok := escaped(raw[i:])
		switch {
		case !ok:
			i++ // whatever is escaped, it is no backslash that escapes
		case u>>10 == 0xd800>>10:
			if low, ok := escaped(raw[i+6:]); !ok || low>>10 != 0xdc00>>10 {
				return i
			}
			i += 11
		case u>>10 == 0xdc00>>10:
			return i
		default:
			i += 5
		}
	}
	return -1
}

// escaped reads \uXXXX at the beginning of b.
func escaped(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return u, err == nil
}
