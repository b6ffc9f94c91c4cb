package targets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Outcome is what one call meant.
type Outcome struct {
	Class  harness.Class
	Status int
	// Code is the answer's error code.
	Code string
	// Resource is the ID of what was made or read.
	Resource string
	// RequestID is the target's own name for the request.
	RequestID string
	// Replayed: the answer carries the profile's replay marker.
	Replayed bool
	// RetryAfter is what the answer asks for, in whole seconds; 0 where it does not.
	RetryAfter time.Duration
	// Err is the original error where there was no whole answer, or says what the
	// answer lacked.
	Err error
}

// Object is one object that a look-up told of.
type Object = harness.Found

// ErrShape is returned for an answer that is not of the profile's shape. What it
// means is unknown, whatever its status.
var ErrShape = errors.New("answer is not of the profile's shape")

// maxAnswer bounds what is read of one answer.
const maxAnswer = 16 << 20

// maxPages bounds one look-up.
const maxPages = 10000

// Client acts on any profile. It neither retries nor waits; the deadline is the
// context's.
type Client struct {
	p    *Profile
	base string
	root root
	// auth is the value of the header Authorization, if there is any, which proves the
	// token.
	auth, token string
	hc          http.Client
	// idle is the room for a call, where nobody is at one.
	idle atomic.Pointer[sending]
}

// NewClient returns a client of the target at baseURL. A nil hc is http.DefaultClient.
// Redirects are not followed: a POST that a proxy sends elsewhere is unknown.
func NewClient(p *Profile, baseURL, token string, hc *http.Client) *Client {
	c := &Client{}
	c.Reset(p, baseURL, token, hc)
	return c
}

// Reset makes it what [NewClient] returns, once nobody is at a call of it any more. What
// is as it was is not worked out again.
func (c *Client) Reset(p *Profile, baseURL, token string, hc *http.Client) {
	if hc == nil {
		hc = http.DefaultClient
	}
	if base := strings.TrimSuffix(baseURL, "/"); base != c.base || c.root.URL == nil {
		c.base, c.root = base, rootOf(base)
	}
	if p != c.p || token != c.token {
		c.p, c.token, c.auth = p, token, p.authorization(token)
	}
	c.hc = *hc
	c.hc.Transport = transportFor(c.root, hc.Transport)
	c.hc.CheckRedirect = notFollowed
}

func notFollowed(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Create is [Client.Do] of the operation create.
func (c *Client) Create(ctx context.Context, w Write) Outcome { return c.Do(ctx, harness.CreateOp, w) }

// Do sends one step once.
func (c *Client) Do(ctx context.Context, op string, w Write) Outcome {
	var t told
	c.do(ctx, op, "", &w, &t)
	return t.Outcome
}

// Cancel is [Client.Undo] by the operation cancel.
func (c *Client) Cancel(ctx context.Context, resource string, w Write) Outcome {
	return c.Undo(ctx, harness.CancelOp, resource, w)
}

// Undo takes an object back by an operation that undoes a step, once. The write gives
// the key; an undo has no arguments.
func (c *Client) Undo(ctx context.Context, op, resource string, w Write) Outcome {
	var t told
	c.do(ctx, op, resource, &w, &t)
	return t.Outcome
}

// Get reads one object by its ID.
func (c *Client) Get(ctx context.Context, resource string) (Object, Outcome) {
	var t told
	c.do(ctx, harness.GetOp, resource, &Write{}, &t)
	if t.Class == harness.Confirmed && len(t.answer.Found) == 1 {
		return t.answer.Found[0], t.Outcome
	}
	return Object{}, t.Outcome
}

// Find is [Client.Look] for create by a business key alone.
func (c *Client) Find(ctx context.Context, businessKey string) ([]Object, Outcome) {
	return c.Look(ctx, harness.CreateOp, Write{BusinessKey: businessKey})
}

// Look reads all pages of the look-up that shows what a step made, by what that
// operation (found_by, or find) asks for: business key, action ID or key. The outcome is that of the
// first page that was not confirmed, or of the last; objects are complete only
// where it is confirmed, and nobody may change them in place.
func (c *Client) Look(ctx context.Context, step string, w Write) ([]Object, Outcome) {
	find := c.p.FindOf(step)
	op := c.p.operation(find)
	var all []Object
	cursor, last := "", ""
	for page := range maxPages {
		if op != nil && op.Paging != nil && op.Paging.Number != "" && page > 0 {
			cursor = strconv.Itoa(page + 1)
		}
		var t told
		c.call(ctx, op, find, "", &w, cursor, &t)
		if c.p.tellsAbsence(op, &t.Outcome) {
			t.Class = harness.Confirmed
			return all, t.Outcome
		}
		if t.Class != harness.Confirmed {
			return all, t.Outcome
		}
		found := t.answer.Found
		if all == nil {
			all = found
		} else {
			all = append(all, found...)
		}
		if !t.answer.More {
			return all, t.Outcome
		}
		if len(found) == 0 || found[len(found)-1].Resource == last {
			t.Class, t.Err = harness.Unknown, fmt.Errorf("%s after %q: %w: it promises another page and does not go on", find, last, ErrShape)
			return all, t.Outcome
		}
		last = found[len(found)-1].Resource
		cursor = last
	}
	return all, Outcome{Class: harness.Unknown, Err: fmt.Errorf("%s %q: more than %d pages", find, w.BusinessKey, maxPages)}
}

// tellsAbsence: a look-up that reads one object answers so where there is none.
func (p *Profile) tellsAbsence(find *operation, out *Outcome) bool {
	if find == nil || find.Items != "" || out.Err != nil {
		return false
	}
	absent, known := p.Refusals["absent"]
	return known && out.Status == absent.Status && (absent.Code == "" || out.Code == absent.Code)
}

// told is what a call came to, with what stands in its answer where it has a whole one.
type told struct {
	Outcome
	answer *harness.Answered
}

// fails is told of a call that has no whole answer.
func (t *told) fails(class harness.Class, err error) { t.Outcome = Outcome{Class: class, Err: err} }

// do sends one request and reads its answer to the end.
func (c *Client) do(ctx context.Context, operation, id string, w *Write, t *told) {
	c.call(ctx, c.p.operation(operation), operation, id, w, "", t)
}

// call is do of an operation that was found, or is nil, at a look-up's page.
func (c *Client) call(ctx context.Context, op *operation, operation, id string, w *Write, cursor string, t *told) {
	s := c.idle.Swap(nil)
	if s == nil {
		s = sendings.Get().(*sending)
	}
	raw, err := c.p.request(&s.asking, op, operation, id, w, c.auth, page{true, cursor})
	if err != nil {
		t.fails(harness.NeverDispatched, err)
		return
	}
	s.watch.connected.Store(false)
	req, err := c.request(ctx, s, raw)
	if err != nil {
		t.fails(harness.NeverDispatched, &sendError{operation: operation, err: err})
		return
	}
	resp, err := c.roundTrip(operation, s, req)
	if err != nil {
		t.fails(ClassOfError(err, s.watch.connected.Load()), err)
	} else {
		c.heard(operation, resp, &s.read, t)
	}
	c.done(s)
}

// heard reads an answer to its end.
func (c *Client) heard(operation string, resp *http.Response, room *reading, t *told) {
	defer resp.Body.Close()
	t.Class, t.Status = harness.Unknown, resp.StatusCode
	if after := first(resp.Header["Retry-After"]); after != "" {
		t.RetryAfter = harness.RetryAfter(after)
	}
	if h := c.p.requestID; h != "" {
		t.RequestID = first(resp.Header[h])
	}
	body, err := room.from(resp.Body)
	if err != nil {
		t.Err = fmt.Errorf("%s: status %d without its whole body: %w", operation, resp.StatusCode, err)
		return
	}
	if len(body) > maxAnswer {
		t.Err = fmt.Errorf("%s: status %d with more than %d bytes", operation, resp.StatusCode, maxAnswer)
		return
	}
	a := namer{c.p}.Answer(operation, harness.RawAnswer{Status: resp.StatusCode, Header: resp.Header, Body: body})
	t.answer, t.Code, t.Resource, t.Replayed = a, a.Code, a.Resource, a.Replayed
	t.Class = c.p.promises.ClassOf(resp.StatusCode, a)
	if a.Opaque {
		t.Err = fmt.Errorf("%s: status %d: %w", operation, resp.StatusCode, ErrShape)
	}
}
