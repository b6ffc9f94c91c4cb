package targets

import (
	"encoding/json"
	"slices"
	"strings"
)

// sorted returns a list in one order, whatever order it came in: by what each member
// says. Anything but a list is returned as it is.
func sorted(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(argumentText(a), argumentText(b)) })
	return list
}

// sortedText is sorted for a list as it stands in a body.
func sortedText(raw string) string {
	var list []any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if d.Decode(&list) != nil {
		return raw
	}
	return argumentText(sorted(list))
}
