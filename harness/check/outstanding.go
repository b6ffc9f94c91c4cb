package check

// outstanding are attempts whose outcome is not known, in order. Every operation
// is constant on average, so that a walk over a history stays linear.
type outstanding struct {
	queue []*attempt
	open  map[*attempt]bool
	byKey map[string][]*attempt
}

func (o *outstanding) add(a *attempt) {
	if o.open == nil {
		o.open, o.byKey = map[*attempt]bool{}, map[string][]*attempt{}
	}
	o.queue = append(o.queue, a)
	o.open[a] = true
	o.byKey[a.Key] = append(o.byKey[a.Key], a)
}

// closes takes one attempt out.
func (o *outstanding) closes(a *attempt) { delete(o.open, a) }

// closeKey takes every attempt under a key out.
func (o *outstanding) closeKey(key string) {
	for _, a := range o.byKey[key] {
		delete(o.open, a)
	}
	delete(o.byKey, key)
}

// closeBefore takes out what was sent before an event.
func (o *outstanding) closeBefore(seq int) {
	for len(o.queue) > 0 && (!o.open[o.queue[0]] || o.queue[0].Seq < seq) {
		delete(o.open, o.queue[0])
		o.queue = o.queue[1:]
	}
}

// clear takes everything out.
func (o *outstanding) clear() { *o = outstanding{} }

// oldest is the first attempt that is still outstanding, or nil.
func (o *outstanding) oldest() *attempt {
	for len(o.queue) > 0 {
		if o.open[o.queue[0]] {
			return o.queue[0]
		}
		o.queue = o.queue[1:]
	}
	return nil
}
