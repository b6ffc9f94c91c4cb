package fakes

import (
	"slices"
	"time"
)

// object is one thing that the target keeps.
type object struct {
	id string
	// op is the operation that made it, parts what it stands for in the ledger.
	op    string
	parts []string
	// group is the business key as the domain normalises it, business as it was sent.
	group, business string
	// reference and key are those of the request that made it.
	reference, key string
	// print identifies that request.
	print string
	// rests are the resources of earlier steps on which it was built.
	rests []string
	made  time.Time
	// foreign: a stranger's; present: there before the trial.
	foreign, present bool
	// undone: it was taken back; failed: the work on it failed; gone: no read shows it
	// any more. leaves are the fields that an undo left on it.
	undone, failed, gone bool
	leaves               map[string]string
	// inAll and inGroup are its places in the two lists, oldest first.
	inAll, inGroup int
	// data is the domain's own.
	data any
}

// stands reports whether its effect counts.
func (o *object) stands() bool { return !o.undone && !o.failed && !o.gone }

// store finds objects by ID, business key, reference and key in constant time.
type store struct {
	all    []*object
	byID   map[ref]*object
	groups map[string][]*object
	// referred, keyed and rested list objects by reference, by idempotency key and by
	// what they rest on.
	referred, keyed, rested map[string][]*object
	// standing counts the objects of one operation and business key that stand.
	standing map[ref]int
}

// ref is an ID or a business key among the objects of one operation.
type ref struct{ op, text string }

func newStore() store {
	return store{byID: map[ref]*object{}, groups: map[string][]*object{}, referred: map[string][]*object{},
		keyed: map[string][]*object{}, rested: map[string][]*object{}, standing: map[ref]int{}}
}

func (s *store) add(o *object) {
	o.inAll, o.inGroup = len(s.all), len(s.groups[o.group])
	s.all = append(s.all, o)
	s.groups[o.group] = append(s.groups[o.group], o)
	s.byID[ref{o.op, o.id}] = o
	s.standing[ref{o.op, o.group}]++
	if o.reference != "" {
		s.referred[o.reference] = append(s.referred[o.reference], o)
	}
	if o.key != "" {
		s.keyed[o.key] = append(s.keyed[o.key], o)
	}
	for _, id := range o.rests {
		s.rested[id] = append(s.rested[id], o)
	}
}

// leave counts an object no longer among those that stand.
func (s *store) leave(o *object) { s.standing[ref{o.op, o.group}]-- }

// find returns the object of that ID which one of the operations made.
func (s *store) find(makers []string, id string) *object {
	for _, op := range makers {
		if o := s.byID[ref{op, id}]; o != nil {
			return o
		}
	}
	return nil
}

// list returns all objects, or those of one group, oldest first, and where in that
// list an object stands.
func (s *store) list(group string) (objects []*object, place func(*object) int) {
	if group == "" {
		return s.all, func(o *object) int { return o.inAll }
	}
	return s.groups[group], func(o *object) int { return o.inGroup }
}

// visible reports whether a read shows the object: it is one of those that the read
// is about, it was not removed, and with lagging reads it is old enough.
func (f *Fake) visible(c *call, o *object) bool {
	return !o.gone && slices.Contains(f.makers[c.named.Op], o.op) &&
		(f.ways.lag == 0 || f.o.Now().Sub(o.made) >= f.ways.lag)
}
