package targets

import (
	"encoding/json"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// Digest returns the digest of an action's arguments as the profile reads them:
// those that the first step carries, every scalar as its text. A form has no
// types, so that "1099" and 1099 are one.
func (n namer) Digest(a harness.Arguments) string {
	return digest(n.p.arguments, given(a))
}

// Digests returns the digest for each step of an effect of several parts: each
// carries arguments of its own. A profile without parts has none.
func (n namer) Digests(a harness.Arguments) map[string]string {
	if len(n.p.Parts) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, step := range n.p.steps {
		if op := n.p.operation(step); op != nil {
			out[step] = digest(op.argumentSlots, given(a))
		}
	}
	return out
}

func given(a harness.Arguments) func(argumentSlot) (string, bool) {
	return func(s argumentSlot) (string, bool) {
		v, ok := a[s.name]
		if s.set {
			v = sorted(v)
		}
		return argumentText(v), ok
	}
}

// argumentText spells one argument as a form carries it.
func argumentText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	}
	// A list or an object: Go writes maps with sorted keys.
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// digest hashes the RFC 8785 form of {argument: text}; what is absent is left out.
func digest(slots []argumentSlot, read func(argumentSlot) (string, bool)) string {
	b := make([]byte, 0, 128)
	b = append(b, '{')
	for _, s := range slots {
		v, ok := read(s)
		if !ok {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, s.name...)
		b = append(b, '"', ':')
		b = harness.AppendQuoted(b, v)
	}
	b = append(b, '}')
	return harness.Digest(b)
}
