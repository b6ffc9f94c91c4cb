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
	// left: it is not counted any more among those that stand.
	left bool
	// inAll and inGroup are its places in the two lists, oldest first.
	inAll, inGroup int
	// data is the domain's own.
	data any
}

// stands reports whether its effect counts.
func (o *object) stands() bool { return !o.undone && !o.failed && !o.gone }

// store finds objects by ID, business key, reference and key in constant time: few by
// looking at each, as a trial makes one or two and a fake is made for every trial, and
// more by an index.
type store struct {
	all    []*object
	finder *finder
}

// few is how many objects are looked at one by one.
const few = 16

// ref is an ID or a business key among the objects of one operation.
type ref struct{ op, text string }

// finder holds the objects by what they are asked for.
type finder struct {
	byID   map[ref]*object
	groups map[string][]*object
	// referred, keyed and rested list objects by reference, by idempotency key and by
	// what they rest on.
	referred, keyed, rested map[string][]*object
	// standing counts the objects of one operation and business key that stand.
	standing map[ref]int
}

func (s *store) add(o *object) {
	o.inAll, o.inGroup = len(s.all), s.size(o.group)
	s.all = append(s.all, o)
	switch {
	case s.finder != nil:
		s.finder.add(o)
	case len(s.all) > few:
		s.finder = newFinder(s.all)
	}
}

// reset forgets all objects.
func (s *store) reset() {
	clear(s.all)
	s.all, s.finder = s.all[:0], nil
}

func newFinder(all []*object) *finder {
	x := &finder{byID: map[ref]*object{}, groups: map[string][]*object{}, referred: map[string][]*object{},
		keyed: map[string][]*object{}, rested: map[string][]*object{}, standing: map[ref]int{}}
	for _, o := range all {
		x.add(o)
	}
	return x
}

func (x *finder) add(o *object) {
	x.groups[o.group] = append(x.groups[o.group], o)
	x.byID[ref{o.op, o.id}] = o
	if !o.left {
		x.standing[ref{o.op, o.group}]++
	}
	if o.reference != "" {
		x.referred[o.reference] = append(x.referred[o.reference], o)
	}
	if o.key != "" {
		x.keyed[o.key] = append(x.keyed[o.key], o)
	}
	for i, id := range o.rests {
		if slices.Contains(o.rests[:i], id) {
			continue
		}
		x.rested[id] = append(x.rested[id], o)
	}
}

// leave counts an object no longer among those that stand.
func (s *store) leave(o *object) {
	o.left = true
	if s.finder != nil {
		s.finder.standing[ref{o.op, o.group}]--
	}
}

// standing counts the objects of one operation and business key that stand.
func (s *store) standing(op, group string) (n int) {
	if s.finder != nil {
		return s.finder.standing[ref{op, group}]
	}
	for _, o := range s.all {
		if o.op == op && o.group == group && !o.left {
			n++
		}
	}
	return n
}

// size counts the objects of one business key.
func (s *store) size(group string) (n int) {
	if s.finder != nil {
		return len(s.finder.groups[group])
	}
	for _, o := range s.all {
		if o.group == group {
			n++
		}
	}
	return n
}

// at returns the newest object of that ID which the operation made.
func (s *store) at(op, id string) *object {
	if s.finder != nil {
		return s.finder.byID[ref{op, id}]
	}
	for _, o := range slices.Backward(s.all) {
		if o.op == op && o.id == id {
			return o
		}
	}
	return nil
}

// find returns the object of that ID which one of the operations made.
func (s *store) find(makers []string, id string) *object {
	for _, op := range makers {
		if o := s.at(op, id); o != nil {
			return o
		}
	}
	return nil
}

// list returns the objects among which all of one group are, oldest first, and where
// in that list an object stands. No group is all.
func (s *store) list(group string) (objects []*object, place func(*object) int) {
	if group == "" || s.finder == nil {
		return s.all, func(o *object) int { return o.inAll }
	}
	return s.finder.groups[group], func(o *object) int { return o.inGroup }
}

// lists of objects that are alike, oldest first.
func (s *store) grouped(group string) []*object {
	if s.finder != nil {
		return s.finder.groups[group]
	}
	return s.those(func(o *object) bool { return o.group == group })
}

func (s *store) referred(reference string) []*object {
	if s.finder != nil {
		return s.finder.referred[reference]
	}
	return s.those(func(o *object) bool { return o.reference != "" && o.reference == reference })
}

func (s *store) keyed(key string) []*object {
	if s.finder != nil {
		return s.finder.keyed[key]
	}
	return s.those(func(o *object) bool { return o.key != "" && o.key == key })
}

func (s *store) rested(id string) []*object {
	if s.finder != nil {
		return s.finder.rested[id]
	}
	return s.those(func(o *object) bool { return slices.Contains(o.rests, id) })
}

// those are the few that are meant.
func (s *store) those(meant func(*object) bool) (out []*object) {
	for _, o := range s.all {
		if meant(o) {
			out = append(out, o)
		}
	}
	return out
}

// visible reports whether a read shows the object: it is one of those that the read
// is about, it was not removed, and with lagging reads it is old enough.
func (f *Fake) visible(c *call, o *object) bool {
	return !o.gone && slices.Contains(c.makers, o.op) &&
		(f.ways.lag == 0 || f.o.Now().Sub(o.made) >= f.ways.lag)
}
