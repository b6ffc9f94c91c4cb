package targets

import (
	"net/http"
	"slices"
	"strings"

	"github.com/retrydrill/drill/targets/dnsform"
)

// operation is one call, made ready for reading and writing.
type operation struct {
	Operation
	name string
	// step: it is one of the profile's steps. commits are the parts that one request of
	// it makes, finds is the look-up that shows what it made.
	step    bool
	commits []string
	finds   string
	// segments of the path; "${id}" stands for any one.
	segments []string
	// fixed is a path without variables.
	fixed string
	// body and query are the templates' slots.
	body, query []slot
	isJSON      bool
	isXML       bool
	business    []field
	// argumentSlots are sorted by the argument's name.
	argumentSlots []argumentSlot
	// items lead to a list; all but the last lead to lists of what has one.
	items        []field
	id           field
	more, object field
	// tells are the constants that tell it from operations of its method and path.
	tells []slot
	// shows maps the form's name of a request's field to the object's field.
	shows map[string]field
	// rests are the steps whose IDs it carries; argued: it carries arguments.
	rests  []string
	argued bool
	// makers are what [Profile.Makers] returns.
	makers []string
	// shown are the arguments of the objects that it makes or shows, and reference is
	// where such an object has its own.
	shown     []argumentSlot
	reference *field
	// leaves are the fields by which a shown object tells that it was undone.
	leaves []leaf
	// inside holds all of the request.
	inside field
}

// argumentSlot is the field that carries an argument, in request and object alike.
type argumentSlot struct {
	name string
	at   field
	// set: a list whose order means nothing.
	set bool
}

// leaf is a field that an undone object has.
type leaf struct {
	at    field
	value string
}

const idSegment = "${id}"

func (o *operation) variables() (n int) {
	for _, s := range o.segments {
		if variable(s) {
			n++
		}
	}
	return n
}

// hasBody reports whether the request's parameters stand in its body.
func (o *operation) hasBody() bool {
	return o.Method != http.MethodGet && o.Method != http.MethodDelete && o.Method != dnsform.MethodQuery
}

// matches reports whether the operation is meant, and the ID in the path.
func (o *operation) matches(method, path string) (id string, made map[string]string, ok bool) {
	if method != o.Method || !strings.HasPrefix(path, "/") {
		return "", nil, false
	}
	rest := path[1:]
	for i, want := range o.segments {
		part, after, more := strings.Cut(rest, "/")
		if more == (i == len(o.segments)-1) {
			return "", nil, false
		}
		switch {
		case want == part && !variable(want):
		case part == "" || !variable(want):
			return "", nil, false
		case want == idSegment:
			id = part
		default:
			made = put(made, madeRE.FindStringSubmatch(want)[1], part)
		}
		rest = after
	}
	return id, made, true
}

// asShown returns where an object that the operation made tells arguments and
// reference.
func (o *operation) asShown(reference *field) ([]argumentSlot, *field) {
	if len(o.shows) == 0 {
		return o.argumentSlots, reference
	}
	out := slices.Clone(o.argumentSlots)
	for i, s := range out {
		if at, ok := o.shows[s.at.form]; ok {
			out[i].at = at
		}
	}
	if reference != nil {
		if at, ok := o.shows[reference.form]; ok {
			reference = &at
		}
	}
	return out, reference
}

func (p *Profile) operation(name string) *operation {
	for _, o := range p.operations {
		if o.name == name {
			return o
		}
	}
	return nil
}

func splitPath(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// variable reports whether a segment stands for any one.
func variable(segment string) bool { return segment == idSegment || madeRE.MatchString(segment) }

// put sets an entry of a map that may not be there yet.
func put(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
