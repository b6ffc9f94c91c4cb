package fakes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// refusalOf is what the profile answers to a mistake of the first of these kinds that
// it tells of.
func refusalOf(p *targets.Profile, kinds ...string) targets.Refusal {
	for _, k := range kinds {
		if r, told := p.Refusals[k]; told {
			return r
		}
	}
	return targets.Refusal{Status: http.StatusBadRequest}
}

// badInput sends one mistaken write and wants it refused without a trace.
func badInput(t *testing.T, w *walk, kind string, shape ...func(*http.Request)) {
	t.Helper()
	r := w.create(t, w.write("key-1", "act-1"), shape...)
	w.refuses(t, r, refusalOf(w.p, kind))
	assert.Empty(t, w.Effects(), r.raw)
}

func eachStep(t *testing.T, walk func(t *testing.T, p *targets.Profile, step string)) {
	t.Helper()
	for _, p := range everyProfile(t) {
		for _, step := range p.Steps() {
			t.Run(p.Name+"/"+step, func(t *testing.T) { walk(t, p, step) })
		}
	}
}

// TestOversizedBodies does without a socket: a server that turns a body down lingers
// before it closes.
func TestOversizedBodies(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		w := walkOf(t, p, step)
		x := w.write("key-1", "act-1")
		raw, err := p.Request(step, "", x)
		require.NoError(t, err)
		w.o.MaxBody = int64(len(raw.Body))
		w.done(t, w.create(t, x))
		w = walkOf(t, p, step)
		w.o.MaxBody = int64(len(raw.Body)) - 1
		key := "key-1"
		if p.Idempotency.Key.Quoted {
			key = targets.QuoteKey(key)
		}
		r := w.sendRaw(t, x, key)
		w.refuses(t, r, refusalOf(p, "size"))
		assert.Empty(t, w.Effects(), r.raw)
	})
}

func TestContentTypes(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		w := walkOf(t, p, step)
		right := formType
		if len(w.op().JSON) > 0 {
			right = jsonType
		}
		for _, wrong := range []string{"", "text/plain", "text/html; charset=utf-8", "application/xml", "multipart/form-data; boundary=x", "nonsense;;", map[string]string{formType: jsonType, jsonType: formType}[right]} {
			badInput(t, w, "body", withHeader("Content-Type", wrong))
		}
		w.done(t, w.create(t, w.write("key-1", "act-1"), withHeader("Content-Type", strings.ToUpper(right)+`; charset="utf-8"`)))
	})
}

const notUTF8 = "a\xffb"

// TestKeysOfEveryKind: a key is kept as it was sent, or refused in the profile's own
// shape, or taken for none; never something between.
func TestKeysOfEveryKind(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		k := p.Idempotency.Key
		if k.Header == "" && k.Body == "" {
			t.Skip("knows no key")
		}
		long := strings.Repeat("k", 256)
		for i, c := range []struct {
			sent string
			// key is what the target takes it for; ok: it is a key.
			key string
			ok  bool
		}{
			{"plain", "plain", !k.Quoted},
			{`"quoted"`, map[bool]string{true: "quoted", false: `"quoted"`}[k.Quoted], true},
			{long, long, !k.Quoted && (k.Max == 0 || k.Max >= 256)},
			{`"` + long + `"`, map[bool]string{true: long, false: `"` + long + `"`}[k.Quoted], k.Max == 0 || k.Max >= 258 || (k.Quoted && k.Max >= 256)},
			{"clé-☃", "clé-☃", !k.Quoted},
			{"a\x7fb", "", false},
			{notUTF8, "", false},
		} {
			if c.sent == notUTF8 && k.Body != "" {
				// JSON can not say it: TestBodiesThatAreNone.
				continue
			}
			w := walkOf(t, p, step)
			x := w.write(c.sent, fmt.Sprint("act-", i))
			r := w.sendRaw(t, x, c.sent)
			switch {
			case c.ok:
				w.done(t, r)
				require.Equal(t, c.key, w.Effects()[0].Key)
			case k.Malformed == "refuse":
				w.refuses(t, r, refusalOf(p, "key"))
				assert.Empty(t, w.Effects(), "%q", c.sent)
			default:
				w.done(t, r)
				require.Empty(t, w.Effects()[0].Key, "%q is taken for none", c.sent)
			}
		}
	})
}

// sendRaw sends a write whose key stands in the request as it is, quotes and all,
// without a client that would clean it up.
func (w *walk) sendRaw(t *testing.T, x targets.Write, key string) told {
	t.Helper()
	raw, err := w.p.Request(w.step, "", x)
	require.NoError(t, err)
	r := httptest.NewRequest(raw.Method, raw.Path, strings.NewReader(string(raw.Body)))
	r.Header = raw.Header
	if h := w.p.Idempotency.Key.Header; h != "" {
		r.Header[h] = []string{key}
	}
	w.p.Authorize(r, token)
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r.WithContext(harness.WithCrossing(r.Context(), &harness.Crossing{Attempt: 7})))
	out := reply{status: rec.Code, header: rec.Header(), raw: rec.Body.String()}
	return told{out, *w.p.Namer().Answer(w.step, harness.RawAnswer{Status: out.status, Header: out.header, Body: []byte(out.raw)})}
}

// TestLeadingSpaces: around a header's value they are no part of it (RFC 9110 section
// 5.5); in a body they are.
func TestLeadingSpaces(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		k := p.Idempotency.Key
		w := walkOf(t, p, step)
		switch {
		case k.Header != "":
			first := w.create(t, w.write("spaced", "act-1"))
			spelled := w.write("spaced", "act-1").Key
			if k.Quoted {
				spelled = targets.QuoteKey(spelled)
			}
			again := w.create(t, w.write("spaced", "act-1"), withHeader(k.Header, "  "+spelled+"\t"))
			if p.Idempotency.Same != "re-execute" {
				w.repeats(t, first, again)
				assert.Len(t, w.Effects(), 1)
			}
		case k.Body != "":
			w.done(t, w.create(t, w.other("  spaced", "act-1")))
			assert.Equal(t, "  spaced", w.Effects()[0].Key)
		default:
			t.Skip("knows no key")
		}
	})
}

// TestDoubledHeaders: of two keys none is the one that was meant, also of two alike.
func TestDoubledHeaders(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		h := p.Idempotency.Key.Header
		if h == "" {
			t.Skip("has no header for a key")
		}
		w := walkOf(t, p, step)
		badInput(t, w, "key", withHeader(h, `"a"`, `"b"`))
		badInput(t, w, "key", withHeader(h, `"a"`, `"a"`))
	})
}

// TestBodiesThatAreNone of their kind are refused.
func TestBodiesThatAreNone(t *testing.T) {
	eachStep(t, func(t *testing.T, p *targets.Profile, step string) {
		w := walkOf(t, p, step)
		raw, err := p.Request(step, "", w.write("key-1", "act-1"))
		require.NoError(t, err)
		// What tells the operation stays, where a field does.
		bodies := []string{string(raw.Body) + "&%zz=1", string(raw.Body) + "&a=%"}
		if len(w.op().JSON) > 0 {
			bodies = []string{"{", "[]", "null", `"x"`, "1", "\xff", string(raw.Body) + "{}", string(raw.Body[:len(raw.Body)-1])}
		}
		for _, body := range bodies {
			badInput(t, w, "body", func(r *http.Request) {
				r.Body, r.ContentLength = readCloser(body), int64(len(body))
			})
		}
	})
}

// TestOversizedBodyOnTheWire: the refusal reaches the client, and the target goes on.
func TestOversizedBodyOnTheWire(t *testing.T) {
	w := walkOf(t, stripe(t), harness.CreateOp, func(o *Options) { o.MaxBody = 100 })
	r := w.do(t, "POST", "/v1/refunds", "charge=ch_1&metadata[a]="+strings.Repeat("x", 100_000), withKey("key-1"))
	assert.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	assert.NotEmpty(t, r.error("message"))
	assert.Empty(t, w.Effects())
	assert.Equal(t, 200, w.refund(t, "key-1", partial).status)
}
