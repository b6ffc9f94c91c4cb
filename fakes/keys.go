package fakes

import (
	"net/http"
	"time"
	"unicode"
	"unicode/utf8"
)

// claim is one idempotency key at work or done.
type claim struct {
	// print identifies the request: other parameters under one key are refused.
	print string
	since time.Time
	// answer is nil while the first request is at work.
	answer *answer
}

// key reads the idempotency key and refuses a malformed one.
func (f *Fake) key(r *http.Request, body string) (string, *refusal) {
	k := f.p.Idempotency.Key
	key := body
	if k.Header != "" {
		values := r.Header[k.Header]
		if len(values) > 1 {
			return "", f.refuse("key", "", "The header %s stands in the request more than once.", k.Header)
		}
		key = r.Header.Get(k.Header)
	}
	switch {
	case key == "" && k.Missing == "refuse":
		return "", f.refuse("key", "", "An idempotency key is required.")
	case key == "" || wellFormed(key, k.Max):
		return key, nil
	case k.Malformed == "refuse":
		return "", f.refuse("key", "", "Idempotency keys are up to %d printable characters long.", k.Max)
	}
	return "", nil
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

// claimKey takes a key for a request. It returns the claim to settle, or the answer
// that is due without any work.
func (f *Fake) claimKey(key, print string) (*claim, *answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	if c := f.keys[key]; c != nil {
		switch {
		case c.answer == nil:
			i := f.p.Idempotency.InFlight
			return nil, f.refusalAnswer(&refusal{status: i.Status, code: i.Code,
				message: "There is currently another in-progress request using this idempotency key."})
		case f.retention > 0 && now.Sub(c.since) >= f.retention:
			// Forgotten: the key is as good as new.
		case c.print == print || f.p.Idempotency.Other.Word == "replay":
			return nil, c.answer.replayed()
		case f.p.Idempotency.Other.Word == "":
			o := f.p.Idempotency.Other
			return nil, f.refusalAnswer(&refusal{status: o.Status, code: o.Code,
				message: "Keys for idempotent requests can only be used with the same parameters they were first used with."})
		}
	}
	c := &claim{print: print, since: now}
	f.keys[key] = c
	return c, nil
}

// settle keeps the answer under the key where the profile does, or frees the key.
// It is called under the lock. A claim that a restart forgot stays forgotten.
func (f *Fake) settle(key string, c *claim, a *answer) {
	if c == nil || f.keys[key] != c {
		return
	}
	if a != nil && f.p.Stores(true, a.status) {
		c.answer = a
		return
	}
	delete(f.keys, key)
}
