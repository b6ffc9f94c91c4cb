package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
)

// Normal says how the arguments of an effect come into the one form that is approved
// and digested. Pointers are those of RFC 6901; the part * stands for every index of
// a list. What a pointer does not find is left alone.
type Normal struct {
	// Unordered are lists whose order means nothing: they are sorted by the canonical
	// form of their members.
	Unordered []string
	// Money are amounts that become whole minor units.
	Money []Money
	// Pinned have to name one record by its ID, never by what people call it.
	Pinned []Pin
}

// Money is an amount that may be spelled in a currency's units, as decimal text
// ("10.99"), and is a whole number of its minor units (1099) in the normal form. A
// whole number is minor units already.
type Money struct {
	// Amount points at the amount; Currency at its currency, or is empty where all
	// amounts have the digits of Digits[""].
	Amount, Currency string
	// Digits is how many decimal digits a minor unit has, by currency; a currency
	// that is not listed is refused.
	Digits map[string]int
}

// Pin is a value that has to be an ID, told by how such IDs begin.
type Pin struct{ Pointer, Prefix string }

// Empty reports whether n leaves all arguments as they are.
func (n Normal) Empty() bool { return len(n.Unordered)+len(n.Money)+len(n.Pinned) == 0 }

// Apply returns arguments in the normal form. It changes nothing that is in it
// already; the error is an [ErrArguments] and names the place.
func (n Normal) Apply(a Arguments) (Arguments, error) {
	out, err := NewArguments(a)
	if err != nil {
		return nil, err
	}
	for _, m := range n.Money {
		if err := m.apply(out); err != nil {
			return nil, err
		}
	}
	for _, p := range n.Pinned {
		if err := each(map[string]any(out), p.Pointer, p.check); err != nil {
			return nil, err
		}
	}
	// The longest first: a list within a list is in order before the outer one is.
	lists := slices.Clone(n.Unordered)
	slices.SortStableFunc(lists, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, at := range lists {
		if err := each(map[string]any(out), at, sortList); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m Money) apply(a Arguments) error {
	currency := ""
	if m.Currency != "" {
		found := false
		err := each(map[string]any(a), m.Currency, func(at string, v any) (any, error) {
			currency, found = v.(string)
			return v, nil
		})
		if err != nil || !found {
			return err
		}
	}
	return each(map[string]any(a), m.Amount, func(at string, v any) (any, error) {
		text, ok := v.(string)
		if !ok {
			return v, nil
		}
		digits, ok := m.Digits[currency]
		if !ok {
			return nil, fmt.Errorf("%w: %s is in %q, whose minor unit is not declared", ErrArguments, at, currency)
		}
		return minorUnits(at, text, digits)
	})
}

// Otherwise returns the same arguments in another spelling: lists whose order means
// nothing turned round, amounts in the currency's units. ok is false where there is
// none.
func (n Normal) Otherwise(a Arguments) (spelled Arguments, ok bool) {
	spelled, err := n.Apply(a)
	if err != nil {
		return nil, false
	}
	plain := spelled.Digest()
	for _, at := range n.Unordered {
		_ = each(map[string]any(spelled), at, func(_ string, v any) (any, error) {
			if list, is := v.([]any); is {
				slices.Reverse(list)
			}
			return v, nil
		})
	}
	for _, m := range n.Money {
		m.inUnits(spelled)
	}
	back, err := n.Apply(spelled)
	return spelled, err == nil && spelled.Digest() != plain && back.Digest() == plain
}

// inUnits spells an amount that is whole minor units in the currency's units.
func (m Money) inUnits(a Arguments) {
	currency := ""
	if m.Currency != "" {
		_ = each(map[string]any(a), m.Currency, func(_ string, v any) (any, error) {
			currency, _ = v.(string)
			return v, nil
		})
	}
	digits, known := m.Digits[currency]
	_ = each(map[string]any(a), m.Amount, func(_ string, v any) (any, error) {
		i, is := v.(int64)
		if !is || !known || digits == 0 {
			return v, nil
		}
		text, minus := strconv.FormatInt(i, 10), ""
		if i < 0 {
			text, minus = text[1:], "-"
		}
		if short := digits + 1 - len(text); short > 0 {
			text = strings.Repeat("0", short) + text
		}
		return minus + text[:len(text)-digits] + "." + text[len(text)-digits:], nil
	})
}

// minorUnits reads -12.34 as a whole number of units of 10^-digits, exactly.
func minorUnits(at, text string, digits int) (any, error) {
	refuse := func() (any, error) {
		return nil, fmt.Errorf("%w: %s is %q, expected a decimal number with at most %d digits behind the point", ErrArguments, at, text, digits)
	}
	number := strings.TrimPrefix(text, "-")
	whole, part, point := strings.Cut(number, ".")
	if whole == "" || point && part == "" || len(part) > digits {
		return refuse()
	}
	for _, c := range whole + part {
		if c < '0' || c > '9' {
			return refuse()
		}
	}
	i, err := strconv.ParseInt(whole+part+strings.Repeat("0", digits-len(part)), 10, 64)
	if err != nil || i > maxSafeInteger {
		return refuse()
	}
	if number != text {
		i = -i
	}
	return i, nil
}

func (p Pin) check(at string, v any) (any, error) {
	if id, ok := v.(string); !ok || len(id) <= len(p.Prefix) || !strings.HasPrefix(id, p.Prefix) {
		return nil, fmt.Errorf("%w: %s is %v, expected the ID of one record, which begins with %s", ErrArguments, at, v, p.Prefix)
	}
	return v, nil
}

func sortList(at string, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s is %v, expected a list", ErrArguments, at, v)
	}
	type member struct {
		value any
		form  []byte
	}
	members := make([]member, len(list))
	for i, e := range list {
		form, err := canonical(e)
		if err != nil {
			return nil, err
		}
		members[i] = member{e, form}
	}
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.form, b.form) })
	out := make([]any, len(list))
	for i, m := range members {
		out[i] = m.value
	}
	return out, nil
}

// canonical is the RFC 8785 form of any normal value.
func canonical(v any) ([]byte, error) {
	raw, err := json.Marshal([]any{v})
	if err != nil {
		return nil, err
	}
	c, err := jcs.Transform(raw)
	if err != nil {
		return nil, err
	}
	return c[1 : len(c)-1], nil
}

// each replaces what stands at a pointer by what f makes of it.
func each(root map[string]any, pointer string, f func(at string, v any) (any, error)) error {
	if !strings.HasPrefix(pointer, "/") {
		return fmt.Errorf("pointer %q does not begin with / (RFC 6901)", pointer)
	}
	_, err := walk(root, "", strings.Split(pointer[1:], "/"), f)
	return err
}

func walk(v any, at string, parts []string, f func(string, any) (any, error)) (_ any, err error) {
	if len(parts) == 0 {
		return f(at, v)
	}
	switch x := v.(type) {
	case map[string]any:
		key := unescapePointer.Replace(parts[0])
		if inner, ok := x[key]; ok {
			x[key], err = walk(inner, at+"/"+parts[0], parts[1:], f)
		}
	case []any:
		for i := range x {
			if parts[0] == "*" || parts[0] == strconv.Itoa(i) {
				if x[i], err = walk(x[i], at+"/"+strconv.Itoa(i), parts[1:], f); err != nil {
					return nil, err
				}
			}
		}
	}
	return v, err
}
