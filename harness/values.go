package harness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

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
