package deliver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// respell writes the same object otherwise: keys in reverse order, and the first
// letter of each key and string escaped.
func respell(canonical []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return canonical
	}
	var b strings.Builder
	spell(&b, v)
	return []byte(b.String())
}

func spell(b *strings.Builder, v any) {
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		slices.Reverse(keys)
		b.WriteString("{")
		for i, k := range keys {
			if i > 0 {
				b.WriteString(", ")
			}
			spell(b, k)
			b.WriteString(": ")
			spell(b, x[k])
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, e := range x {
			if i > 0 {
				b.WriteString(", ")
			}
			spell(b, e)
		}
		b.WriteString("]")
	case string:
		q, _ := json.Marshal(x)
		if len(x) > 0 && x[0] >= 'A' && x[0] <= 'z' && x[0] != '\\' {
			fmt.Fprintf(b, `"\u%04x%s`, x[0], q[2:])
			return
		}
		b.Write(q)
	default:
		q, _ := json.Marshal(x)
		b.Write(q)
	}
}
