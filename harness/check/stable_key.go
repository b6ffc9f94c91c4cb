package check

import "github.com/retrydrill/drill/harness"

// stableKey: while an outcome is unknown, a repeat carries the same key and the same
// arguments, or the target can not know that it is one. And no two operations or
// actions share a key within its scope, or the target takes them for one.
//
// A new key is right after a definite rejection, after the key expired, and after
// the target replayed a stored failure and a look-up showed that nothing was done.
// Proof of absence alone is not enough: what was sent may still arrive, and the old
// key is what makes that harmless.
func stableKey(v *View) (f Finding) {
	for _, a := range v.actions {
		walk := keyWalk{View: v, f: &f, a: a, ops: map[string]*keyOp{}, first: map[string]*attempt{}, stored: map[string]bool{}}
		for _, it := range a.line {
			walk.step(it)
		}
	}
	v.sharedKeys(&f)
	return f
}

// keyWalk follows the keys of one action.
type keyWalk struct {
	*View
	f     *Finding
	a     *action
	ops   map[string]*keyOp
	first map[string]*attempt
	// stored are keys under which the target replayed a failure; absent is when the
	// last look-up was begun that found nothing.
	stored map[string]bool
	absent int
}

type keyOp struct {
	open   outstanding
	before *attempt
}

func (w *keyWalk) step(it item) {
	at := it.attempt
	switch {
	case at == nil:
	case it.lookup != nil:
		if it.lookup.tells == tellsAbsent {
			w.absent = it.lookup.begun
		}
	case !at.Changes:
	case it.Kind == harness.EvRequest:
		w.request(at)
	case it.Kind == harness.EvPassed:
		if at.passed.Replayed && at.Key != "" && at.class != harness.Confirmed {
			w.stored[at.Key] = true
		}
		if op := w.ops[at.operation()]; op != nil {
			w.resolves(&op.open, at)
		}
	}
}

func (w *keyWalk) request(at *attempt) {
	op := w.ops[at.operation()]
	if op == nil {
		op = &keyOp{}
		w.ops[at.operation()] = op
	}
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
	if w.first[at.Key] == nil {
		w.first[at.Key] = at
	}
	op.open.add(at)
}

// free reports whether the old key may be left although its outcome is unknown.
func (w *keyWalk) free(old, at *attempt) bool {
	if old.Key == "" {
		return false
	}
	first := w.first[old.Key]
	return w.expired(first.At, at.At) || w.stored[old.Key] && w.absent > first.Seq
}

// sharedKeys looks for keys under which two intents or two operations ran.
func (v *View) sharedKeys(f *Finding) {
	scope := v.promises.Key.Scope
	if !v.promises.Key.Kept || scope == "none" {
		return
	}
	type users struct {
		*root
		op string
	}
	first := map[string]*attempt{}
	seen := map[users]bool{}
	keyed, told := 0, map[[2]users]bool{}
	for _, a := range v.sent {
		if a.Key == "" || a.action == nil {
			continue
		}
		keyed++
		key := a.Key
		switch scope {
		case "endpoint":
			key = a.operation() + " " + key
		case "resource":
			key = a.Path + " " + key
		}
		by := users{a.action.root, a.operation()}
		seen[by] = true
		if first[key] == nil {
			first[key] = a
			continue
		}
		before := users{first[key].action.root, first[key].operation()}
		if before == by || told[[2]users{before, by}] {
			continue
		}
		told[[2]users{before, by}] = true
		observed := "two actions share one"
		if before.root == by.root {
			observed = "two operations share one"
		}
		f.breach(by.name, "a key of its own for each action and operation", observed, first[key].Seq, a.Seq)
	}
	if len(seen) > 1 {
		f.Inspected += keyed
	}
}
