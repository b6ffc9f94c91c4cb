package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// unescapePointer undoes the escapes of RFC 6901 section 3.
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// Set returns a copy in which the value at the RFC 6901 pointer is v. The parent
// has to exist.
func (a Arguments) Set(pointer string, v any) (Arguments, error) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("pointer %q does not begin with / (RFC 6901)", pointer)
	}
	n, err := NormalValue(v)
	if err != nil {
		return nil, err
	}
	out := a.Clone()
	var at any = map[string]any(out)
	parts := strings.Split(pointer[1:], "/")
	for i, p := range parts {
		p = unescapePointer.Replace(p)
		last := i == len(parts)-1
		switch x := at.(type) {
		case map[string]any:
			if last {
				x[p] = n
				return out, nil
			}
			at = x[p]
		case []any:
			k, err := strconv.Atoi(p)
			if err != nil || k < 0 || k >= len(x) {
				return nil, fmt.Errorf("pointer %q: %q is no index of a list of %d", pointer, p, len(x))
			}
			if last {
				x[k] = n
				return out, nil
			}
			at = x[k]
		default:
			return nil, fmt.Errorf("pointer %q: nothing stands at %q", pointer, "/"+strings.Join(parts[:i], "/"))
		}
	}
	return out, nil
}

// Change applies pointers to new values, in sorted order.
func (a Arguments) Change(changes map[string]any) (Arguments, error) {
	keys := make([]string, 0, len(changes))
	for k := range changes {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := a
	for _, k := range keys {
		var err error
		if out, err = out.Set(k, changes[k]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
