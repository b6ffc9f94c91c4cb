package fakes

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// plant makes a stranger's object in the likeness of an action: the same business
// key and arguments, and no reference of ours. Of an effect of several parts it is
// that of the first step.
func (f *Fake) plant(a harness.Action) error {
	w := targets.Write{BusinessKey: a.BusinessKey, Arguments: a.Arguments}
	return f.beforehand("foreign object", f.p.Steps()[0], w, func(o *object) { o.foreign = true })
}

// present makes one part of an action's effect, as an earlier run of it left it. It
// bears our reference, unless its request makes several parts: then the reference
// stands on the last of them alone, as on a record and its marker.
func (f *Fake) present(a harness.Action, part string) error {
	step, parts := "", []string(nil)
	for _, s := range f.p.Steps() {
		for i, p := range f.p.PartsOf(s) {
			if p == part {
				step, parts = s, f.p.PartsOf(s)[i:]
			}
		}
	}
	w := targets.Write{BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: map[string]string{}}
	if len(parts) == 1 {
		w.ActionID = a.ID
	}
	for _, s := range f.p.Steps() {
		w.Made[s] = f.idOf(s, 1<<41)
	}
	return f.beforehand("present "+part, step, w, func(o *object) { o.present, o.parts = true, []string{part} })
}

// beforehand makes an object that stands before the trial begins, so that no read
// lags behind it.
func (f *Fake) beforehand(what, step string, w targets.Write, shape func(*object)) error {
	if f.p.Idempotency.Key.Missing == "refuse" {
		w.Key = "somebody-else"
	}
	id := f.nextID(step)
	if f.p.Operations[step].IDs == "client" && w.ActionID != "" {
		id = w.ActionID
	}
	raw, err := f.p.Request(step, id, w)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	c, bad := f.read(request(raw), raw.Body)
	if bad != nil {
		return fmt.Errorf("%s: the target refuses it: %d %s", what, bad.status, bad.message)
	}
	o, bad := f.make(id, c)
	if bad != nil {
		return fmt.Errorf("%s: the target refuses it: %d %s", what, bad.status, bad.message)
	}
	o.made = f.o.Start.Add(-f.ways.lag)
	shape(o)
	f.keep(o, c, harness.Effect{Foreign: o.foreign, Present: o.present})
	return nil
}

// follow has a stranger write after each write of ours, where look-ups are to answer
// with more than ours. It is called under the lock.
func (f *Fake) follow(c *call) {
	if f.ways.lookup != harness.LookupPaged && f.ways.lookup != harness.LookupSeveral {
		return
	}
	theirs := *c
	theirs.key, theirs.print = "", ""
	if f.ways.lookup == harness.LookupPaged {
		theirs.params = c.params.without(f.p.ReferenceSteps())
		theirs.named.Reference = ""
		if bad := f.domain.check(&theirs); bad != nil {
			return
		}
	}
	// What the world's state refuses a stranger, it refuses.
	if o, bad := f.make(f.nextID(c.named.Op), &theirs); bad == nil {
		o.foreign = true
		f.keep(o, &theirs, harness.Effect{At: f.offset(o.made), Foreign: true})
	}
}

// without is a copy of the parameters that lacks one field.
func (p *params) without(steps []string) *params {
	out := *p
	if p.doc != nil {
		out.doc = pruned(p.doc, steps)
		return &out
	}
	if len(steps) != 2 {
		out.scalars = map[string]string{}
		for name, v := range p.scalars {
			if len(steps) != 1 || name != steps[0] {
				out.scalars[name] = v
			}
		}
		return &out
	}
	out.maps = map[string]map[string]string{}
	for name, m := range p.maps {
		out.maps[name] = map[string]string{}
		for key, v := range m {
			if name != steps[0] || key != steps[1] {
				out.maps[name][key] = v
			}
		}
	}
	return &out
}

// pruned is a copy of an object that lacks the field to which the steps lead.
func pruned(doc map[string]any, steps []string) map[string]any {
	out := make(map[string]any, len(doc))
	for name, v := range doc {
		inner, object := v.(map[string]any)
		switch {
		case len(steps) == 0 || name != steps[0]:
			out[name] = v
		case len(steps) > 1 && object:
			out[name] = pruned(inner, steps[1:])
		}
	}
	return out
}

// request is a raw request as the engine reads it.
func request(r harness.RawRequest) *http.Request {
	return &http.Request{Method: r.Method, URL: &url.URL{Path: r.Path, RawQuery: r.Query}, Header: r.Header}
}
