package fakes

import "time"

// object is one thing that the target keeps.
type object struct {
	id string
	// group is the business key as the domain normalises it.
	group string
	// reference and key are those of the request that made it.
	reference, key string
	// print identifies that request.
	print string
	made  time.Time
	// inAll and inGroup are its places in the two lists, oldest first.
	inAll, inGroup int
	// data is the domain's own.
	data any
}

// store finds objects by ID, business key, reference and key in constant time.
type store struct {
	all    []*object
	byID   map[string]*object
	groups map[string][]*object
	// referred and keyed list objects by reference and by idempotency key.
	referred, keyed map[string][]*object
}

func newStore() store {
	return store{byID: map[string]*object{}, groups: map[string][]*object{},
		referred: map[string][]*object{}, keyed: map[string][]*object{}}
}

func (s *store) add(o *object) {
	o.inAll, o.inGroup = len(s.all), len(s.groups[o.group])
	s.all = append(s.all, o)
	s.groups[o.group] = append(s.groups[o.group], o)
	s.byID[o.id] = o
	if o.reference != "" {
		s.referred[o.reference] = append(s.referred[o.reference], o)
	}
	if o.key != "" {
		s.keyed[o.key] = append(s.keyed[o.key], o)
	}
}

// list returns all objects, or those of one group, oldest first, and where in that
// list an object stands.
func (s *store) list(group string) (objects []*object, place func(*object) int) {
	if group == "" {
		return s.all, func(o *object) int { return o.inAll }
	}
	return s.groups[group], func(o *object) int { return o.inGroup }
}

// visible reports whether reads show the object yet: with stale-read they lag.
func (f *Fake) visible(o *object) bool {
	return f.lag == 0 || f.o.Now().Sub(o.made) >= f.lag
}
