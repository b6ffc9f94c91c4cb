package fakes

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// walkParts: a request leaves an entry for each part that its operation makes.
func walkParts(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	r := w.create(t, w.write("key-1", "act-1"))
	var parts []string
	for _, e := range w.Fake.Effects() {
		if e.Op == step {
			parts = append(parts, e.Part)
			assert.Equal(t, r.Resource, e.Resource)
			assert.Equal(t, harness.Do, e.Kind)
		}
	}
	assert.Equal(t, p.PartsOf(step), parts)
}

// walkGrounded: a step that carries the ID of an earlier one wants it to stand.
func walkGrounded(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	w.create(t, w.write("key-1", "act-1"))
	require.NotEmpty(t, w.Effects())
	rests := w.Effects()[0].Rests
	if len(rests) == 0 {
		t.Skip("rests on no other step")
	}
	for s, id := range w.made {
		assert.Contains(t, rests, id)
		x := w.write("key-2", "act-2")
		x.BusinessKey += "2"
		x.Made = map[string]string{s: "none"}
		r := w.create(t, x)
		assert.GreaterOrEqual(t, r.status, 400, r.raw)
	}
	for s, id := range w.made {
		if undo := p.UndoOf(s); undo != "" {
			w.undone(t, w.send(t, undo, id, targets.Write{Key: "undo-" + s}))
			r := w.create(t, w.other("key-3", "act-3"))
			assert.GreaterOrEqual(t, r.status, 400, "%s was taken back: %s", s, r.raw)
		}
	}
	assert.Len(t, w.Effects(), 1)
}

// undos are the entries that took the walked step's objects back.
func (w *walk) undos() []harness.Effect {
	return slices.DeleteFunc(w.Fake.Effects(), func(e harness.Effect) bool { return e.Kind != harness.Undo })
}

// undoable makes an object and returns its ID and the operation that undoes it.
func undoable(t *testing.T, p *targets.Profile, step string) (w *walk, id, undo string) {
	t.Helper()
	if undo = p.UndoOf(step); undo == "" {
		t.Skip("has no undo")
	}
	w = walkOf(t, p, step)
	r := w.create(t, w.write("key-1", "act-1"))
	w.done(t, r)
	return w, r.Resource, undo
}

// keyed reports whether a repeat of the operation under its key is a repeat.
func (w *walk) keyed(op string) bool {
	inBody := w.p.Idempotency.Key.Body != "" && w.p.Operations[op].Method == http.MethodDelete
	return w.knowsKeys() && w.p.Idempotency.Same != "re-execute" && !inBody
}

func (w *walk) undone(t *testing.T, r told) {
	t.Helper()
	assert.Less(t, r.status, 300, r.raw)
}

func walkUndo(t *testing.T, p *targets.Profile, step string) {
	w, id, undo := undoable(t, p, step)
	key := targets.Write{Key: "undo-1"}
	first := w.send(t, undo, id, key)
	w.undone(t, first)
	undos := w.undos()
	require.Len(t, undos, len(p.PartsOf(step)), "every part is taken back")
	for i, e := range undos {
		assert.Equal(t, p.PartsOf(step)[i], e.Part)
		assert.Equal(t, id, e.Resource)
		assert.Equal(t, undo, e.Op)
		assert.Equal(t, 7, e.Attempt)
		if w.keyed(undo) {
			assert.Equal(t, "undo-1", e.Key)
		}
	}
	if w.keyed(undo) {
		again := w.send(t, undo, id, key)
		w.undone(t, again)
		assert.Equal(t, first.raw, again.raw)
		assert.Equal(t, len(p.Idempotency.ReplayHeader) > 0, again.Replayed)
	}
	w.shows(t, id, undo)
	again := w.send(t, undo, id, targets.Write{Key: "undo-2"})
	refusal, told := p.Refusals["undone"]
	switch {
	case len(p.Operations[undo].Leaves) == 0:
		w.refuses(t, again, p.Refusals["absent"])
	case told:
		w.refuses(t, again, refusal)
	default:
		w.undone(t, again)
	}
	assert.Len(t, w.undos(), len(undos), "what was taken back is not taken back again")
	w.refuses(t, w.send(t, undo, "nothing", targets.Write{Key: "undo-3"}), p.Refusals["absent"])
	w.done(t, w.create(t, w.write("key-2", "act-2")))
	assert.Len(t, w.Effects(), 2, "a name is free again")
}

// shows: a read of one object tells what the undo left, or that it is gone.
func (w *walk) shows(t *testing.T, id, undo string) {
	t.Helper()
	for name, op := range w.p.Operations {
		if op.Changes || op.Items != "" || !slices.Equal(w.p.Makers(name), []string{w.step}) {
			continue
		}
		r := w.send(t, name, id, targets.Write{})
		if len(w.p.Operations[undo].Leaves) == 0 {
			w.refuses(t, r, w.p.Refusals["absent"])
			continue
		}
		require.Len(t, r.Found, 1, r.raw)
		assert.True(t, r.Found[0].Undone, r.raw)
	}
	promises := w.p.Promises()
	if client := targets.NewClient(w.p, w.url, token, w.client); promises.CanFind() {
		found, out := client.Look(t.Context(), w.step, w.write("key-1", "act-1"))
		require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
		for _, o := range found {
			assert.True(t, o.Resource != id || o.Undone, "%+v", o)
		}
	}
}

func walkUndoCrowd(t *testing.T, p *targets.Profile, step string) {
	w, id, undo := undoable(t, p, step)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { w.send(t, undo, id, targets.Write{Key: "undo-" + string(rune('A'+i))}) })
	}
	all.Wait()
	assert.Len(t, w.undos(), len(p.PartsOf(step)))
}

// walkUndoDecided: the schedule's words mean at an undo what they mean at a write.
func walkUndoDecided(t *testing.T, p *targets.Profile, step string) {
	for _, c := range []struct {
		d     harness.TargetDecision
		undos bool
	}{
		{harness.TargetDecision{Name: "reject", Status: 402}, false},
		{harness.TargetDecision{Name: "fail", Status: 500}, true},
		{harness.TargetDecision{Name: "swallow"}, false},
	} {
		w, id, undo := undoable(t, p, step)
		fired := w.decide(c.d)
		r := w.send(t, undo, id, targets.Write{Key: "undo-1"})
		assert.Equal(t, 1, *fired, c.d.Name)
		if c.d.Status != 0 {
			assert.Equal(t, c.d.Status, r.status)
		} else {
			w.undone(t, r)
		}
		assert.Equal(t, c.undos, len(w.undos()) > 0, c.d.Name)
	}
}

// walkGone: what a kept key answers once its object was deleted.
func walkGone(t *testing.T, p *targets.Profile, step string) {
	if k := p.Idempotency.Key; k.Header == "" && k.Body == "" {
		t.Skip("knows no key")
	}
	w, id, undo := undoable(t, p, step)
	if len(p.Operations[undo].Leaves) > 0 || p.Idempotency.Same == "re-execute" {
		t.Skip("an undo deletes nothing, or a key is not kept")
	}
	w.undone(t, w.send(t, undo, id, targets.Write{Key: "undo-1"}))
	again := w.create(t, w.write("key-1", "act-1"))
	effects := 1
	switch p.Idempotency.Gone {
	case "refuse":
		want, told := p.Refusals["gone"]
		if !told {
			want = p.Refusals["absent"]
		}
		w.refuses(t, again, want)
	case "re-execute":
		w.done(t, again)
		effects++
	default:
		w.done(t, again)
		assert.Equal(t, id, again.Resource)
	}
	assert.Len(t, w.Effects(), effects)
}

// walkNotices: what is committed is told once, in the ledger's order, and a repeat
// tells nothing.
func walkNotices(t *testing.T, p *targets.Profile, step string) {
	if _, tells := p.Events.Of[step]; !tells {
		t.Skip("tells nothing by itself")
	}
	w := walkOf(t, p, step)
	var told []harness.Notice
	w.Tell(func(n harness.Notice) { told = append(told, n) })
	r := w.create(t, w.write("key-1", "act-1"))
	w.create(t, w.write("key-1", "act-1"))
	effects := w.Effects()
	require.Len(t, told, len(effects))
	for i, n := range told {
		assert.Equal(t, p.Events.Of[step].Type, n.Type)
		assert.Equal(t, effects[i].Resource, n.Resource)
		assert.Equal(t, 7, n.Attempt)
	}
	assert.Equal(t, r.Resource, told[0].Resource)
	assert.Equal(t, http.StatusOK/100, r.status/100)
}
