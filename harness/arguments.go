package harness

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// maxSafeInteger is the largest integer that every JSON reader holds exactly
// (RFC 8785 section 3.2.2.3 prints numbers as IEEE 754 doubles).
const maxSafeInteger = 1<<53 - 1

// ErrArguments is returned when arguments are outside what all languages print
// alike: strings, booleans, integers below 2^53, and lists and objects of these.
var ErrArguments = errors.New("arguments must be strings, booleans and integers below 2^53")

// Arguments are the normalised arguments of an action. Values are string, bool,
// int64, []any and map[string]any; anything else is refused when it is read.
type Arguments map[string]any

// UnmarshalJSON is [ReadArguments].
func (a *Arguments) UnmarshalJSON(b []byte) error {
	n, err := ReadArguments(b)
	*a = n
	return err
}

// UnmarshalYAML does for YAML what UnmarshalJSON does for JSON.
func (a *Arguments) UnmarshalYAML(decode func(any) error) error {
	var m map[string]any
	if err := decode(&m); err != nil {
		return err
	}
	n, err := NewArguments(m)
	*a = n
	return err
}

// canonicalRoom is where a canonical form is written that is only read.
var canonicalRoom = sync.Pool{New: func() any { return new([]byte) }}

// Digest returns "sha256:" and the hex digest of the canonical form. It panics on
// arguments that were not read by this package, which is a programming error.
func (a Arguments) Digest() (digest string) {
	if err := a.InCanonical(func(c []byte) { digest = Digest(c) }); err != nil {
		panic(fmt.Sprintf("digest of arguments that were never normalised: %v", err))
	}
	return digest
}

// InCanonical has f read the RFC 8785 form, which it may not keep.
func (a Arguments) InCanonical(f func(c []byte)) error {
	room := canonicalRoom.Get().(*[]byte)
	defer canonicalRoom.Put(room)
	c, err := a.appendCanonical((*room)[:0])
	if err != nil {
		return err
	}
	*room = c
	f(c)
	return nil
}

// Clone returns a deep copy. It panics on arguments that can not be normalised.
func (a Arguments) Clone() Arguments {
	if a == nil {
		return nil
	}
	return cloneObject(a)
}

func cloneObject(m map[string]any) map[string]any {
	// A map of a few is copied as it is; most values in it are shared safely.
	out := maps.Clone(m)
	for k, v := range m {
		switch v.(type) {
		case string, bool, int64:
			continue
		}
		out[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v any) any {
	switch v.(type) {
	case string, bool, int64:
		return v
	}
	n, err := normalValue(nil, v)
	if err != nil {
		panic(fmt.Sprintf("clone of arguments that were never normalised: %v", err))
	}
	return n
}

// Equal reports whether both say the same.
func (a Arguments) Equal(b Arguments) bool { return equalObjects(a, b) }

func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok || !equalValues(v, w) {
			return false
		}
	}
	return true
}

// equalValues compares what [Arguments] can hold; anything else is no equal of anything.
func equalValues(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case int64:
		y, ok := b.(int64)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalObjects(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equalValues)
	}
	return false
}
