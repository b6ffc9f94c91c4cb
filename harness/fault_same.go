package harness

// Same reports whether a line that was spelled is spelled as the other one is, and all else
// is the same. It says no of lines that hold what others hold too, which could have changed
// since: an event, actions, a value.
func (f *Fault) Same(g *Fault) bool {
	return f.holdsAll() && g.holdsAll() && (g.spelling == "" || g.spelling == f.spelling) &&
		f.Where == g.Where && f.Name == g.Name && f.N == g.N && f.Head == g.Head && f.D == g.D && f.RetryAfter == g.RetryAfter && f.Or == g.Or &&
		f.Code == g.Code && f.Pointer == g.Pointer && f.Word == g.Word && f.Of == g.Of && f.Optional == g.Optional
}

// holdsAll: all of it stands in it.
func (f *Fault) holdsAll() bool { return f.Event == nil && f.Actions == nil && f.Value == nil }
