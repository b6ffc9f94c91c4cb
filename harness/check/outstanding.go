package check

import (
	"slices"
	"sort"
)

// outstanding are attempts whose outcome is not known, in order. Every operation
// is constant on average, or a search, so that a walk over a history stays linear.
type outstanding struct {
	queue []pending
	// room is for the first of them.
	room [4]pending
	// byKey is made once there are more than a few.
	byKey map[string][]*attempt
}

type pending struct {
	*attempt
	closed bool
}

// few is how many are looked through rather than looked up.
const few = 16

func (o *outstanding) add(a *attempt) {
	if o.queue == nil {
		o.queue = o.room[:0]
	}
	o.queue = append(o.queue, pending{attempt: a})
	switch {
	case o.byKey != nil:
		o.byKey[a.Key] = append(o.byKey[a.Key], a)
	case len(o.queue) > few:
		o.byKey = map[string][]*attempt{}
		for _, p := range o.queue {
			o.byKey[p.Key] = append(o.byKey[p.Key], p.attempt)
		}
	}
}

// find returns where an attempt stands, or nil where it does not any more.
func (o *outstanding) find(a *attempt) *pending {
	i := sort.Search(len(o.queue), func(i int) bool { return o.queue[i].Seq >= a.Seq })
	if i < len(o.queue) && o.queue[i].attempt == a {
		return &o.queue[i]
	}
	return nil
}

// closes takes one attempt out.
func (o *outstanding) closes(a *attempt) {
	if p := o.find(a); p != nil {
		p.closed = true
	}
}

// another reports whether an attempt beside a is outstanding under its key.
func (o *outstanding) another(a *attempt) bool {
	if o.byKey != nil {
		return slices.ContainsFunc(o.byKey[a.Key], func(other *attempt) bool {
			p := o.find(other)
			return other != a && p != nil && !p.closed
		})
	}
	return slices.ContainsFunc(o.queue, func(p pending) bool { return p.Key == a.Key && p.attempt != a && !p.closed })
}

// closeKey takes every attempt under a key out.
func (o *outstanding) closeKey(key string) {
	if o.byKey != nil {
		for _, a := range o.byKey[key] {
			o.closes(a)
		}
		delete(o.byKey, key)
		return
	}
	for i := range o.queue {
		if o.queue[i].Key == key {
			o.queue[i].closed = true
		}
	}
}

// closeBefore takes out what was sent before an event.
func (o *outstanding) closeBefore(seq int) {
	for len(o.queue) > 0 && (o.queue[0].closed || o.queue[0].Seq < seq) {
		o.queue = o.queue[1:]
	}
}

// clear takes everything out.
func (o *outstanding) clear() { *o = outstanding{} }

// oldest is the first attempt that is still outstanding, or nil.
func (o *outstanding) oldest() *attempt {
	for len(o.queue) > 0 {
		if !o.queue[0].closed {
			return o.queue[0].attempt
		}
		o.queue = o.queue[1:]
	}
	return nil
}
