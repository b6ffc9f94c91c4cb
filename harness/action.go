package harness

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
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

// Action is one intended business effect, as approved.
type Action struct {
	// Name is the schedule's name for it (A, B, …), never shown to a worker.
	Name string `json:"name" yaml:"name"`
	// ID is the stable action ID, made before the write.
	ID string `json:"action_id" yaml:"action_id"`
	// TriggerKey names the upstream event that asks for it.
	TriggerKey string `json:"trigger_key" yaml:"trigger_key"`
	// BusinessKey names the thing that is changed (a charge, a record).
	BusinessKey string `json:"business_key" yaml:"business_key"`
	// Effect is the kind of effect, in the user's words (refund, ticket).
	Effect string `json:"effect" yaml:"effect"`
	// Arguments are what was approved.
	Arguments Arguments `json:"arguments" yaml:"arguments"`
	// Changed says what "changed arguments" means: RFC 6901 pointers to new values.
	Changed map[string]any `json:"changed,omitempty" yaml:"changed,omitempty"`
	// Spelled are the same arguments in another spelling of their normal form.
	Spelled Arguments `json:"spelled,omitempty" yaml:"spelled,omitempty"`
	// Approval covers the arguments by their digest.
	Approval Approval `json:"approval" yaml:"approval"`
}

// Approval is a consent bound to the digest of the arguments.
type Approval struct {
	ID              string `json:"id" yaml:"id"`
	ArgumentsSHA256 string `json:"arguments_sha256" yaml:"arguments_sha256"`
	PolicyVersion   string `json:"policy_version" yaml:"policy_version"`
	// Status is granted, denied or none.
	Status string `json:"status" yaml:"status"`
	// ValidUntil is RFC 3339 with seconds, in UTC.
	ValidUntil string `json:"valid_until" yaml:"valid_until"`
	// SingleUse: one action only, however often that action is retried.
	SingleUse bool `json:"single_use" yaml:"single_use"`
}

// The states of an approval.
const (
	Granted = "granted"
	Denied  = "denied"
	NoGrant = "none"
)

// Covers reports whether the approval is granted for arguments of this digest
// under the given policy version and at the given time.
func (a Approval) Covers(digest, policyVersion string, now time.Time) bool {
	if a.Status != Granted || a.ArgumentsSHA256 != digest || a.PolicyVersion != policyVersion {
		return false
	}
	until, err := readEnd(a.ValidUntil)
	return err == nil && now.Before(until)
}

// lastEnd is the end of an approval that was read last: most approvals of a search have
// the same.
var lastEnd atomic.Pointer[approvalEnd]

type approvalEnd struct {
	text string
	at   time.Time
}

func readEnd(text string) (time.Time, error) {
	if e := lastEnd.Load(); e != nil && e.text == text {
		return e.at, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err == nil {
		lastEnd.Store(&approvalEnd{text, at})
	}
	return at, err
}

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

// NewArguments normalises a decoded object; see [Arguments].
func NewArguments(m map[string]any) (Arguments, error) {
	v, err := normalObject(nil, m)
	return Arguments(v), err
}

// NormalValue normalises one decoded JSON or YAML value as [NewArguments] does.
func NormalValue(v any) (any, error) { return normalValue(nil, v) }

// at is where a value stands; it is spelled only for an error.
type at struct {
	in   *at
	name string
}

func (a *at) String() string {
	switch {
	case a == nil:
		return ""
	case a.name == "":
		return a.in.String() + "/"
	}
	return a.in.String() + "/" + a.name
}

func (a *at) refuse(v any) error {
	return fmt.Errorf("%w: %s is %v (%T)", ErrArguments, cmp.Or(a.String(), "/"), v, v)
}

func normalValue(a *at, v any) (any, error) {
	switch x := v.(type) {
	case string:
		if !utf8.ValidString(x) {
			return nil, a.refuse(v)
		}
		return v, nil
	case bool:
		return v, nil
	case int64:
		if x > maxSafeInteger || x < -maxSafeInteger {
			return nil, a.refuse(v)
		}
		return v, nil
	case int, uint64, float64, json.Number:
		return normalNumber(a, v)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			n, err := normalValue(&at{a, strconv.Itoa(i)}, e)
			if err != nil {
				return nil, err
			}
			out[i] = n
		}
		return out, nil
	case Arguments:
		return normalObject(a, x)
	case map[string]any:
		return normalObject(a, x)
	}
	return nil, a.refuse(v)
}

// normalNumber makes of any whole number that JSON or YAML knows an int64.
func normalNumber(a *at, v any) (any, error) {
	i, ok := int64(0), true
	switch x := v.(type) {
	case int:
		i = int64(x)
	case uint64:
		i, ok = int64(x), x <= maxSafeInteger
	case float64:
		i, ok = int64(x), x == math.Trunc(x) && math.Abs(x) <= maxSafeInteger
	case json.Number:
		n, err := strconv.ParseInt(x.String(), 10, 64)
		i, ok = n, err == nil
	}
	if !ok || i > maxSafeInteger || i < -maxSafeInteger {
		return nil, a.refuse(v)
	}
	return i, nil
}

func normalObject(a *at, x map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(x))
	for k, e := range x {
		if !utf8.ValidString(k) {
			return nil, fmt.Errorf("%w: a key of %s is no UTF-8", ErrArguments, a.String()+"/")
		}
		n, err := normalValue(&at{a, k}, e)
		if err != nil {
			return nil, err
		}
		out[k] = n
	}
	return out, nil
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
