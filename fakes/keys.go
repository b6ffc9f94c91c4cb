package fakes

import (
	"fmt"
	"net/http"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/retrydrill/drill/targets"
)

// claim is one idempotency key at work or done.
type claim struct {
	// print identifies the request: other parameters under one key are refused.
	print string
	since time.Time
	// ended: the first request has. done is closed then, and made by who waits for it.
	ended bool
	done  chan struct{}
	// answer is nil while the first request is at work; made is what it made.
	answer *answer
	made   *object
	// undo: what it made is that an object went.
	undo bool
}

// removed reports whether what the key made was deleted since.
func (k *claim) removed() bool { return k.made != nil && k.made.gone && !k.undo }

// key reads the idempotency key and refuses a malformed one.
func (f *Fake) key(r *http.Request, body string) (string, *refusal) {
	k := f.p.Idempotency.Key
	key, ok := body, true
	if k.Header != "" {
		values := r.Header[k.Header]
		if len(values) > 1 {
			return "", f.refuse("key", "", "The header %s stands in the request more than once.", k.Header)
		}
		if key = r.Header.Get(k.Header); key != "" && k.Quoted {
			key, ok = targets.UnquoteKey(key)
		}
	}
	if k.Body != "" && (r.Method == http.MethodGet || r.Method == http.MethodDelete) {
		// There is no body in which a key could stand.
		return "", nil
	}
	switch {
	case ok && key == "" && k.Missing == "refuse":
		kind := "no_key"
		if _, told := f.p.Refusals[kind]; !told {
			kind = "key"
		}
		return "", f.refuse(kind, k.Body, "An idempotency key is required.")
	case ok && (key == "" || wellFormed(key, k.Max)):
		return key, nil
	case k.Malformed == "refuse":
		return "", f.refuse("key", k.Body, "%s", malformed(k))
	}
	return "", nil
}

func malformed(k targets.Key) string {
	const printable = "Idempotency keys are made of printable characters"
	switch {
	case k.Quoted:
		return printable + ", in quotes (RFC 8941 section 3.3.3)."
	case k.Max > 0:
		return fmt.Sprintf("Idempotency keys are up to %d printable characters long.", k.Max)
	}
	return printable + "."
}

func wellFormed(key string, most int) bool {
	if !utf8.ValidString(key) || (most > 0 && utf8.RuneCountInString(key) > most) {
		return false
	}
	for _, r := range key {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// shelf is where a key is kept: within an operation or a path where its scope is as
// narrow as that.
type shelf struct{ within, key string }

func (f *Fake) shelf(c *call) shelf {
	switch f.p.Idempotency.Scope {
	case "endpoint":
		return shelf{c.named.Op, c.key}
	case "resource":
		return shelf{c.path, c.key}
	}
	return shelf{key: c.key}
}

// claimKey takes a key for a request. It returns the claim to settle, or the answer
// that is due without any work, or what to wait for before asking again.
func (f *Fake) claimKey(c *call) (held *claim, due *answer, wait <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.catchUp()
	i := &f.ways.keys
	now := f.o.Now()
	at := f.keys.At(f.shelf(c))
	if old := *at; old != nil {
		switch {
		case old.answer == nil && i.InFlight.Status == 0:
			if old.done == nil {
				old.done = make(chan struct{})
			}
			return nil, nil, old.done
		case old.answer == nil:
			return nil, f.refusalAnswer(refused(i.InFlight, "",
				"There is currently another in-progress request using this idempotency key.")), nil
		case f.ways.retention > 0 && now.Sub(old.since) >= f.ways.retention, i.Same == "re-execute":
			// Forgotten: the key is as good as new.
		case old.print != c.print && i.Other.Word == "":
			return nil, f.refusalAnswer(refused(i.Other.Refusal, "",
				"Keys for idempotent requests can only be used with the same parameters they were first used with.")), nil
		case old.print != c.print && i.Other.Word != "replay":
			// Other arguments are another request.
		case old.removed() && i.Gone == "refuse":
			return nil, f.refusalAnswer(f.goneRefusal(old)), nil
		case old.removed() && i.Gone == "re-execute":
			// What it made was deleted: it is made again.
		default:
			return nil, f.repeat(old, c), nil
		}
	}
	held = place(f, &f.claims)
	*held = claim{print: c.print, since: now, undo: c.op.Undoes != ""}
	*at = held
	return held, nil, nil
}

// goneRefusal tells that what a key made was deleted.
func (f *Fake) goneRefusal(old *claim) *refusal {
	kind := "gone"
	if _, told := f.p.Refusals[kind]; !told {
		kind = "absent"
	}
	return f.refuse(kind, "", "What this idempotency key made was deleted: '%s'", old.made.id)
}

// repeat answers a repeat: with the first answer, or with what it made as that is
// now.
func (f *Fake) repeat(old *claim, c *call) *answer {
	if f.ways.keys.Same == "equivalent" && old.made != nil && old.answer.status < http.StatusBadRequest {
		return f.success(old.made, c).replayed()
	}
	return old.answer.replayed()
}

// settle keeps the answer under the key where the profile does, or frees the key. A
// failure that is not kept frees no key under which something was made: a repeat
// would make it again. It is called under the lock. A claim that a restart forgot
// stays forgotten.
func (f *Fake) settle(c *call, held *claim, a *answer, made *object) {
	if held == nil {
		return
	}
	if held.ended {
		return
	}
	held.ended = true
	if held.done != nil {
		close(held.done)
	}
	if f.keys.Get(f.shelf(c)) != held {
		return
	}
	switch {
	case a != nil && f.ways.stores(a.status):
		held.answer, held.made = a, made
	case made != nil:
		held.answer, held.made = f.success(made, c), made
	default:
		f.keys.Drop(f.shelf(c))
	}
}
