package fakes

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// walk is one profile, walked by its own document.
type walk struct {
	*server
	p *targets.Profile
	// step is the one that is walked, made what the steps before it returned.
	step string
	made map[string]string
	// action is the document's example.
	action harness.Action
}

// walkOf serves the profile and makes the steps before the one that is walked.
func walkOf(t *testing.T, p *targets.Profile, step string, shape ...func(*Options)) *walk {
	t.Helper()
	w := &walk{server: serveProfile(t, p, shape...), p: p, step: step, made: map[string]string{}, action: p.DefaultAction()}
	for _, s := range p.Steps() {
		if s == step {
			break
		}
		r := w.send(t, s, "", w.write("earlier-"+s, "act-earlier"))
		require.NotEmpty(t, r.Resource, r.raw)
		w.made[s] = r.Resource
	}
	return w
}

// op is the operation that is walked.
func (w *walk) op() targets.Operation { return w.p.Operations[w.step] }

// Effects are those of the walked step, one for each request that did something: of
// several parts the first.
func (w *walk) Effects() []harness.Effect {
	var out []harness.Effect
	for _, e := range w.Fake.Effects() {
		if e.Op == w.step && e.Kind == harness.Do && e.Part == w.p.PartsOf(w.step)[0] {
			out = append(out, e)
		}
	}
	return out
}

// digest is that of arguments as the walked step carries them.
func (w *walk) digest(a harness.Arguments) string {
	n := w.p.Namer()
	if d, several := n.Digests(a)[w.step]; several {
		return d
	}
	return n.Digest(a)
}

// write is the example's write under a key and an action ID.
func (w *walk) write(key, id string) targets.Write {
	return targets.Write{Key: key, ActionID: id, BusinessKey: w.action.BusinessKey, Arguments: w.action.Arguments, Made: w.made}
}

// other is a write of another action: under a name of its own where names are unique.
func (w *walk) other(key, id string) targets.Write {
	out := w.write(key, id)
	if w.op().Unique != "" {
		out.BusinessKey += "-" + id
	}
	return out
}

// changed is the same write with the arguments that the example calls changed.
func (w *walk) changed(t *testing.T, key, id string) targets.Write {
	t.Helper()
	out := w.write(key, id)
	var err error
	out.Arguments, err = out.Arguments.Change(w.action.Changed)
	require.NoError(t, err)
	return out
}

// told is an answer as it was read on the wire, and as the profile reads it.
type told struct {
	reply
	harness.Answered
}

func (w *walk) create(t testing.TB, x targets.Write, shape ...func(*http.Request)) told {
	t.Helper()
	return w.send(t, w.step, "", x, shape...)
}

func (w *walk) send(t testing.TB, op, id string, x targets.Write, shape ...func(*http.Request)) told {
	t.Helper()
	raw, err := w.p.Request(op, id, x)
	require.NoError(t, err)
	path := raw.Path
	if raw.Query != "" {
		path += "?" + raw.Query
	}
	r := w.do(t, raw.Method, path, string(raw.Body), append([]func(*http.Request){func(r *http.Request) {
		for name, values := range raw.Header {
			r.Header[name] = values
		}
		w.p.Authorize(r, token)
	}}, shape...)...)
	return told{r, *w.p.Namer().Answer(op, harness.RawAnswer{Status: r.status, Header: r.header, Body: []byte(r.raw)})}
}

func (w *walk) knowsKeys() bool {
	k := w.p.Idempotency.Key
	return k.Header != "" || k.Body != ""
}

func (w *walk) success() int {
	if s := w.op().Status; s != 0 {
		return s
	}
	return http.StatusOK
}

// done wants an answer that tells of an effect.
func (w *walk) done(t *testing.T, r told) {
	t.Helper()
	require.Equal(t, w.success(), r.status, r.raw)
	assert.False(t, r.Opaque, r.raw)
	assert.NotEmpty(t, r.Resource, r.raw)
}

// refuses wants a refusal in the profile's own shape.
func (w *walk) refuses(t *testing.T, r told, want targets.Refusal) {
	t.Helper()
	assert.Equal(t, want.Status, r.status, r.raw)
	assert.False(t, r.Opaque, r.raw)
	if want.Code != "" {
		assert.Equal(t, want.Code, r.Code, r.raw)
	}
	if want.RetryAfter > 0 {
		assert.Equal(t, fmt.Sprint(want.RetryAfter), r.header.Get("Retry-After"))
	}
}

// repeats wants what the profile calls the answer to the same again.
func (w *walk) repeats(t *testing.T, first, again told) {
	t.Helper()
	w.done(t, again)
	assert.Equal(t, first.Resource, again.Resource)
	if w.p.Idempotency.Same == "replay" {
		assert.Equal(t, first.raw, again.raw)
	}
	assert.False(t, first.Replayed)
	assert.Equal(t, len(w.p.Idempotency.ReplayHeader) > 0, again.Replayed)
}

// TestConformance walks every profile's own rules over real HTTP, from its
// document alone.
func TestConformance(t *testing.T) {
	rules := []struct {
		name string
		walk func(t *testing.T, p *targets.Profile, step string)
	}{
		{"effect", walkEffect},
		{"proof of who asks", walkAuth},
		{"repeat", walkRepeat},
		{"other arguments", walkOther},
		{"malformed keys", walkMalformed},
		{"in flight", walkInFlight},
		{"fifty at once", walkCrowd},
		{"what is kept", walkStored},
		{"a failure after the commit", walkFailed},
		{"retention", walkRetention},
		{"look-up", walkLookup},
		{"look-up that lags", walkLag},
		{"chosen IDs", walkClientIDs},
		{"unique names", walkUnique},
		{"work that goes on", walkAsync},
		{"a stranger's object", walkForeign},
		{"parts", walkParts},
		{"a step that rests on another", walkGrounded},
		{"undo", walkUndo},
		{"undo, fifty at once", walkUndoCrowd},
		{"undo in doubt", walkUndoDecided},
		{"a key whose object is gone", walkGone},
		{"notices", walkNotices},
	}
	for _, p := range everyProfile(t) {
		for _, step := range p.Steps() {
			for _, r := range rules {
				name := p.Name + "/" + r.name
				if len(p.Parts) > 0 {
					name = p.Name + "/" + step + "/" + r.name
				}
				t.Run(name, func(t *testing.T) { r.walk(t, p, step) })
			}
		}
	}
}

func walkEffect(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	x := w.write("key-1", "act-1")
	r := w.create(t, x)
	w.done(t, r)
	require.Len(t, w.Effects(), 1)
	e := w.Effects()[0]
	assert.Equal(t, r.Resource, e.Resource)
	assert.Equal(t, x.BusinessKey, e.BusinessKey)
	assert.Equal(t, w.digest(x.Arguments), e.Arguments)
	if w.knowsKeys() {
		assert.Equal(t, x.Key, e.Key)
	}
	if p.Reference != "" {
		assert.Equal(t, x.ActionID, e.Reference)
	}
	if p.Idempotency.Echo {
		assert.Equal(t, x.Key, r.header.Get(p.Idempotency.Key.Header))
	}
}

func walkAuth(t *testing.T, p *targets.Profile, step string) {
	if len(p.Auth.Schemes) == 0 {
		t.Skip("asks for no proof")
	}
	w := walkOf(t, p, step)
	r := w.create(t, w.write("key-1", "act-1"), withHeader("Authorization", "Bearer sk_other"))
	w.refuses(t, r, p.Refusals["auth"])
	assert.Empty(t, w.Effects())
}

func walkRepeat(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	first := w.create(t, w.write("key-1", "act-1"))
	again := w.create(t, w.write("key-1", "act-1"))
	op := p.Operations[step]
	switch {
	case w.knowsKeys() && p.Idempotency.Same != "re-execute":
		w.repeats(t, first, again)
		assert.Len(t, w.Effects(), 1)
	case op.IDs == "client":
		w.done(t, again)
		assert.Equal(t, first.Resource, again.Resource)
		assert.Len(t, w.Effects(), 1)
	case op.Unique != "":
		w.refuses(t, again, op.Exists)
		assert.Len(t, w.Effects(), 1)
	default:
		w.done(t, again)
		assert.Len(t, w.Effects(), 2, "nothing holds a second effect back")
	}
	if w.knowsKeys() {
		w.done(t, w.create(t, w.other("key-2", "act-2")))
		assert.Len(t, w.Effects(), 2, "another key is another effect")
	}
}

func walkOther(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	if !w.knowsKeys() {
		t.Skip("knows no key")
	}
	first := w.create(t, w.write("key-1", "act-1"))
	r := w.create(t, w.changed(t, "key-1", "act-1"))
	switch o := p.Idempotency.Other; o.Word {
	case "":
		w.refuses(t, r, o.Refusal)
	case "replay":
		w.repeats(t, first, r)
	default:
		t.Fatalf("no walk for other_arguments: %s", o.Word)
	}
	assert.Len(t, w.Effects(), 1, "other arguments under one key make no second effect")
}

func walkMalformed(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	k := p.Idempotency.Key
	if !w.knowsKeys() {
		t.Skip("knows no key")
	}
	effects := 0
	wants := func(r told, refused bool, kinds ...string) {
		t.Helper()
		if !refused {
			w.done(t, r)
			effects++
		} else {
			for _, kind := range kinds {
				if want, told := p.Refusals[kind]; told {
					w.refuses(t, r, want)
					break
				}
			}
		}
		assert.Len(t, w.Effects(), effects)
	}
	wants(w.create(t, w.other("", "act-0")), k.Missing == "refuse", "no_key", "key")
	if k.Max > 0 {
		wants(w.create(t, w.other(strings.Repeat("k", k.Max), "act-1")), false)
		wants(w.create(t, w.other(strings.Repeat("k", k.Max+1), "act-2")), k.Malformed == "refuse", "key")
	}
	if k.Header != "" {
		wants(w.create(t, w.other("key", "act-3"), withHeader(k.Header, "\xff")), k.Malformed == "refuse", "key")
		wants(w.create(t, w.other("key", "act-4"), withHeader(k.Header, `"a"`, `"b"`)), true, "key")
	}
	if k.Quoted {
		for _, bare := range []string{"bare", `"open`, `"a\b"`, `"a" "b"`} {
			wants(w.create(t, w.other("key", "act-5"), withHeader(k.Header, bare)), true, "key")
		}
		wants(w.create(t, w.other(`a "quoted" \ key`, "act-6")), false)
		require.Equal(t, `a "quoted" \ key`, w.Effects()[effects-1].Key)
	}
}

// hold has the first write wait between claim and commit. entered is closed once it
// is there; it goes on when release is.
func (w *walk) hold() (entered, release chan struct{}) {
	entered, release = make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.inside = func(context.Context) harness.TargetDecision {
		mine := false
		once.Do(func() { mine = true })
		if mine {
			close(entered)
			<-release
		}
		return harness.TargetDecision{}
	}
	return entered, release
}

func walkInFlight(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	if !w.knowsKeys() {
		t.Skip("knows no key")
	}
	entered, release := w.hold()
	first, second := make(chan told, 1), make(chan told, 1)
	go func() { first <- w.create(t, w.write("key-1", "act-1")) }()
	<-entered
	go func() { second <- w.create(t, w.write("key-1", "act-1")) }()
	var meanwhile told
	if p.Idempotency.InFlight.Status != 0 {
		meanwhile = <-second
		w.refuses(t, meanwhile, p.Idempotency.InFlight)
		assert.Empty(t, w.Effects())
	}
	// Another key is not held up.
	w.done(t, w.create(t, w.other("key-2", "act-2")))
	close(release)
	done := <-first
	w.done(t, done)
	if p.Idempotency.InFlight.Status == 0 {
		meanwhile = <-second
		w.repeats(t, done, meanwhile)
	}
	assert.Len(t, w.Effects(), 2)
}

func walkCrowd(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	const crowd = 50
	answers := make([]told, crowd)
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() { answers[i] = w.create(t, w.write("key-1", "act-1")) })
	}
	all.Wait()
	op := p.Operations[step]
	one := w.knowsKeys() || op.IDs == "client" || op.Unique != ""
	if !one {
		assert.Len(t, w.Effects(), crowd, "the profile has nothing that makes them one")
		return
	}
	require.Len(t, w.Effects(), 1)
	for _, r := range answers {
		switch {
		case r.status == w.success():
			assert.Equal(t, w.Effects()[0].Resource, r.Resource)
		case op.Unique != "":
			w.refuses(t, r, op.Exists)
		default:
			w.refuses(t, r, p.Idempotency.InFlight)
		}
	}
}

func walkStored(t *testing.T, p *targets.Profile, step string) {
	if k := p.Idempotency.Key; k.Header == "" && k.Body == "" {
		t.Skip("knows no key")
	}
	for _, status := range []int{402, 409, 422, 429, 500, 503} {
		w := walkOf(t, p, step)
		w.decide(harness.TargetDecision{Name: "reject", Status: status})
		first := w.create(t, w.write("key-1", "act-1"))
		assert.Equal(t, status, first.status)
		assert.False(t, first.Opaque, "%d: %s", status, first.raw)
		again := w.create(t, w.write("key-1", "act-1"))
		if p.Stores(true, status) {
			assert.Equal(t, first.raw, again.raw)
			assert.Equal(t, len(p.Idempotency.ReplayHeader) > 0, again.Replayed)
			assert.Empty(t, w.Effects())
		} else {
			w.done(t, again)
			assert.Len(t, w.Effects(), 1)
		}
	}
}

// walkFailed: whatever is kept, a key under which something was made makes nothing
// more.
func walkFailed(t *testing.T, p *targets.Profile, step string) {
	if k := p.Idempotency.Key; k.Header == "" && k.Body == "" {
		t.Skip("knows no key")
	}
	w := walkOf(t, p, step)
	w.decide(harness.TargetDecision{Name: "fail", Status: 500})
	first := w.create(t, w.write("key-1", "act-1"))
	assert.Equal(t, 500, first.status)
	again := w.create(t, w.write("key-1", "act-1"))
	if p.Stores(true, 500) {
		assert.Equal(t, first.raw, again.raw)
	} else {
		w.done(t, again)
		assert.Equal(t, w.Effects()[0].Resource, again.Resource)
	}
	assert.Len(t, w.Effects(), 1)
}

func walkRetention(t *testing.T, p *targets.Profile, step string) {
	kept := p.Promises().Key.Retention.D()
	if kept == 0 {
		t.Skip("declares no retention")
	}
	w := walkOf(t, p, step)
	first := w.create(t, w.write("key-1", "act-1"))
	w.clock.add(kept - time.Second)
	w.repeats(t, first, w.create(t, w.write("key-1", "act-1")))
	w.clock.add(time.Second)
	again := w.create(t, w.write("key-1", "act-1"))
	if w.op().Unique != "" {
		w.refuses(t, again, w.op().Exists)
		return
	}
	w.done(t, again)
	assert.Len(t, w.Effects(), 2, "a key that is forgotten is a new one")
}

func walkLookup(t *testing.T, p *targets.Profile, step string) {
	w := walkOf(t, p, step)
	client := targets.NewClient(p, w.url, token, w.client)
	x := w.write("key-1", "act-1")
	if promises := p.Promises(); !promises.CanFind() {
		if _, get := p.Operations[harness.GetOp]; get {
			r := w.create(t, x)
			o, out := client.Get(context.Background(), r.Resource)
			assert.Equal(t, harness.Confirmed, out.Class)
			assert.Equal(t, r.Resource, o.Resource)
		}
		return
	}
	found, out := client.Look(context.Background(), step, x)
	require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
	assert.Empty(t, found)
	r := w.create(t, x)
	if p.Operations[step].Unique == "" {
		other := w.changed(t, "key-2", "act-2")
		other.BusinessKey += "2"
		w.done(t, w.create(t, other))
	}
	found, out = client.Look(context.Background(), step, x)
	require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
	var ours []harness.Found
	for _, o := range found {
		if p.Reference == "" || o.Reference == x.ActionID {
			ours = append(ours, o)
		}
	}
	require.Len(t, ours, 1)
	assert.Equal(t, r.Resource, ours[0].Resource)
	assert.Equal(t, w.digest(x.Arguments), ours[0].Arguments)
}

func walkLag(t *testing.T, p *targets.Profile, step string) {
	if promises := p.Promises(); !promises.CanFind() {
		t.Skip("offers no look-up")
	}
	w := walkOf(t, p, step, func(o *Options) { o.Settings.StaleRead = harness.Span{D: time.Minute} })
	client := targets.NewClient(p, w.url, token, w.client)
	x := w.write("key-1", "act-1")
	w.done(t, w.create(t, x))
	for _, want := range []int{0, 1} {
		found, out := client.Look(context.Background(), step, x)
		require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
		assert.Len(t, found, want)
		w.clock.add(time.Minute)
	}
}

func walkClientIDs(t *testing.T, p *targets.Profile, step string) {
	if p.Operations[step].IDs != "client" {
		t.Skip("the target chooses the ID")
	}
	w := walkOf(t, p, step)
	r := w.create(t, w.write("", "act-1"))
	assert.Equal(t, "act-1", r.Resource)
	w.refuses(t, w.create(t, w.changed(t, "", "act-1")), p.Operations[step].Exists)
	assert.Len(t, w.Effects(), 1)
}

func walkUnique(t *testing.T, p *targets.Profile, step string) {
	op := p.Operations[step]
	if op.Unique == "" {
		t.Skip("names are not unique")
	}
	w := walkOf(t, p, step)
	w.done(t, w.create(t, w.write("", "act-1")))
	w.refuses(t, w.create(t, w.write("", "act-2")), op.Exists)
	other := w.write("", "act-3")
	// In front, where a domain name takes it too.
	other.BusinessKey = "2" + other.BusinessKey
	w.done(t, w.create(t, other))
	assert.Len(t, w.Effects(), 2)
}

func walkAsync(t *testing.T, p *targets.Profile, step string) {
	a := p.Operations[step].Async
	if a == nil {
		t.Skip("work is done when the answer comes")
	}
	w := walkOf(t, p, step)
	r := w.create(t, w.write("key-1", "act-1"))
	assert.Contains(t, r.raw, a.Pending)
	assert.Len(t, w.Effects(), 1, "what is accepted is an effect")
	w.clock.add(time.Hour)
	if _, get := p.Operations[harness.GetOp]; get {
		assert.Contains(t, w.send(t, harness.GetOp, r.Resource, targets.Write{}).raw, a.Done)
	}
	if p.Idempotency.Same == "equivalent" {
		assert.Contains(t, w.create(t, w.write("key-1", "act-1")).raw, a.Done)
	}
}

func walkForeign(t *testing.T, p *targets.Profile, step string) {
	if step != p.Steps()[0] {
		t.Skip("a stranger makes the first step")
	}
	a := p.DefaultAction()
	w := walkOf(t, p, step, func(o *Options) { o.Settings.ForeignObject, o.Action = true, a })
	require.Len(t, w.Effects(), 1)
	e := w.Effects()[0]
	assert.True(t, e.Foreign)
	assert.Equal(t, a.BusinessKey, e.BusinessKey)
	assert.NotEqual(t, "act-1", e.Reference)
}
