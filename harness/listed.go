package harness

// Listed are arguments as a list: whether other ones are the same is seen sooner than from
// a map, of which one has to find the next each time. Nobody changes what is listed.
type Listed []listed

type listed struct {
	key   string
	value any
}

// Listed lists the arguments.
func (a Arguments) Listed() Listed {
	out := make(Listed, 0, len(a))
	for k, v := range a {
		out = append(out, listed{k, v})
	}
	return out
}

// Are reports whether these are the arguments of the list, as [Arguments.Equal] does.
func (l Listed) Are(a Arguments) bool {
	if len(l) != len(a) {
		return false
	}
	for i := range l {
		if v, ok := a[l[i].key]; !ok || !equalValues(l[i].value, v) {
			return false
		}
	}
	return true
}
