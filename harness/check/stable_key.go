package check

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// stableKey: while an outcome is unknown, a repeat carries the same key and the same
// arguments, or the target can not know that it is one. And no two operations or
// actions share a key within its scope, or the target takes them for one.
//
// A new key is right after a definite rejection, after the key expired, and after
// the target replayed a stored failure and a look-up showed that nothing was done.
// Proof of absence alone is not enough: what was sent may still arrive, and the old
// key is what makes that harmless.
func stableKey(v *View) (f Finding) {
	w := &v.room.keys
	for _, a := range v.actions {
		if a.sent < 2 {
			continue
		}
		w.reset(v, a)
		for i := range a.line {
			w.step(&a.line[i])
		}
		f.add(&w.f)
	}
	v.sharedKeys(&f)
	return f
}

// keyWalk follows the keys of one action.
type keyWalk struct {
	*View
	f     Finding
	a     *action
	ops   reuse.Table[string, keyOp]
	first reuse.Table[string, *attempt]
	// stored are keys under which the target replayed a failure; absent is when the
	// last look-up was begun that found nothing.
	stored reuse.Table[string, bool]
	absent int
}

type keyOp struct {
	open   outstanding
	before *attempt
}

// reset begins another action.
func (w *keyWalk) reset(v *View, a *action) {
	w.View, w.a, w.f, w.absent = v, a, Finding{}, 0
	w.ops.Reset()
	w.first.Reset()
	w.stored.Reset()
}

func (w *keyWalk) step(it *item) {
	at := it.attempt
	switch it.turn {
	case reads:
		if l := it.lookup; l != nil && l.tells == tellsAbsent {
			w.absent = l.begun
		}
	case sends:
		w.request(at)
	case gets:
		if at.passed.Replayed && at.Key != "" && at.class != harness.Confirmed {
			w.stored.Set(at.Key, true)
		}
		if op := w.ops.Find(at.operation()); op != nil {
			w.resolves(&op.open, at)
		}
	}
}

func (w *keyWalk) request(at *attempt) {
	op := w.ops.At(at.operation())
	if op.before != nil && (at.Key != "" || op.before.Key != "") {
		w.f.Inspected++
	}
	op.before = at
	if old := op.open.oldest(); old != nil && (at.Key != "" || old.Key != "") {
		switch {
		case old.Key != at.Key && !w.free(old, at):
			w.f.breach(w.a.name, "one key while the outcome is unknown", "another key", old.Seq, at.Seq)
			op.open.clear()
		case old.Key != at.Key:
			op.open.clear()
		case !alike(old.Arguments, at.Arguments):
			w.f.breach(w.a.name, "the same arguments under one key while the outcome is unknown", "other arguments", old.Seq, at.Seq)
			op.open.clear()
		}
	}
	if first := w.first.At(at.Key); *first == nil {
		*first = at
	}
	op.open.add(at)
}

// free reports whether the old key may be left although its outcome is unknown.
func (w *keyWalk) free(old, at *attempt) bool {
	if old.Key == "" {
		return false
	}
	first := w.first.Get(old.Key)
	return w.expired(first.At, at.At) || w.stored.Get(old.Key) && w.absent > first.Seq
}

// sharedKeys looks for keys under which two intents or two operations ran.
func (v *View) sharedKeys(f *Finding) {
	scope := v.promises.Key.Scope
	if len(v.sent) < 2 || !v.promises.Key.Kept || scope == "none" {
		return
	}
	first := &v.room.sharing
	var one *attempt
	keyed, several := 0, false
	var told map[[2]user]bool
	for _, a := range v.sent {
		if a.Key == "" || a.action == nil {
			continue
		}
		keyed++
		if one == nil {
			one = a
		}
		several = several || a.user() != one.user()
		key := shared{key: a.Key}
		switch scope {
		case "endpoint":
			key.within = a.operation()
		case "resource":
			key.within = a.Path
		}
		before := first.At(key)
		if *before == nil {
			*before = a
			continue
		}
		pair := [2]user{(*before).user(), a.user()}
		if pair[0] == pair[1] || told[pair] {
			continue
		}
		if told == nil {
			told = map[[2]user]bool{}
		}
		told[pair] = true
		observed := "two actions share one"
		if pair[0].root == pair[1].root {
			observed = "two operations share one"
		}
		f.breach(a.action.root.name, "a key of its own for each action and operation", observed, (*before).Seq, a.Seq)
	}
	if several {
		f.Inspected += keyed
	}
}

// shared is a key within its scope.
type shared struct{ within, key string }

// user is who runs under a key.
type user struct {
	*root
	op string
}

func (a *attempt) user() user { return user{a.action.root, a.operation()} }
