package targets

import (
	"fmt"
	"strings"
)

// field is a place in a body: metadata[action_id] in a form and metadata.action_id
// in JSON are one field, and either spelling is read.
type field struct {
	// form is the name in a form; steps are the keys in JSON.
	form  string
	steps []string
}

func parseField(s string) (field, error) {
	bad := func() (field, error) {
		return field{}, fmt.Errorf("%q is no field: expected one like amount, metadata[action_id] or error.code", s)
	}
	if strings.ContainsAny(s, " \t\r\n\"&=+%${}") {
		return bad()
	}
	var f field
	for i, part := range strings.Split(s, ".") {
		name, keys, bracket := strings.Cut(part, "[")
		if name == "" {
			return bad()
		}
		f.steps = append(f.steps, name)
		if i == 0 {
			f.form = name
		} else {
			f.form += "[" + name + "]"
		}
		if !bracket {
			continue
		}
		if !strings.HasSuffix(keys, "]") {
			return bad()
		}
		for _, key := range strings.Split(strings.TrimSuffix(keys, "]"), "][") {
			if key == "" || strings.ContainsAny(key, "[]") {
				return bad()
			}
			f.steps = append(f.steps, key)
			f.form += "[" + key + "]"
		}
	}
	return f, nil
}

// named spells the form's name with dots where the profile's forms have them.
func named(f field, dots bool) field {
	if dots {
		f.form = strings.Join(f.steps, ".")
	}
	return f
}
