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
	_, out := c.do(ctx, op, "", w)
	return out
}

// Cancel is [Client.Undo] by the operation cancel.
func (c *Client) Cancel(ctx context.Context, resource string, w Write) Outcome {
	return c.Undo(ctx, harness.CancelOp, resource, w)
}

// Undo takes an object back by an operation that undoes a step, once. The write gives
// the key; an undo has no arguments.
func (c *Client) Undo(ctx context.Context, op, resource string, w Write) Outcome {
	_, out := c.do(ctx, op, resource, w)
	return out
}

// Get reads one object by its ID.
func (c *Client) Get(ctx context.Context, resource string) (Object, Outcome) {
	a, out := c.do(ctx, harness.GetOp, resource, Write{})
	if out.Class == harness.Confirmed && len(a.Found) == 1 {
		return a.Found[0], out
	}
	return Object{}, out
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
		a, out := c.call(ctx, op, find, "", &w, cursor)
		if c.p.tellsAbsence(op, out) {
			out.Class = harness.Confirmed
			return all, out
		}
		if out.Class != harness.Confirmed {
			return all, out
		}
		if all == nil {
			all = a.Found
		} else {
			all = append(all, a.Found...)
		}
		if !a.More {
			return all, out
		}
		if len(a.Found) == 0 || a.Found[len(a.Found)-1].Resource == last {
			out.Class, out.Err = harness.Unknown, fmt.Errorf("%s after %q: %w: it promises another page and does not go on", find, last, ErrShape)
			return all, out
		}
		last = a.Found[len(a.Found)-1].Resource
		cursor = last
	}
	return all, Outcome{Class: harness.Unknown, Err: fmt.Errorf("%s %q: more than %d pages", find, w.BusinessKey, maxPages)}
}

// tellsAbsence: a look-up that reads one object answers so where there is none.
func (p *Profile) tellsAbsence(find *operation, out Outcome) bool {
	if find == nil || find.Items != "" || out.Err != nil {
		return false
	}
	absent, known := p.Refusals["absent"]
	return known && out.Status == absent.Status && (absent.Code == "" || out.Code == absent.Code)
}

// do sends one request and reads its answer to the end.
func (c *Client) do(ctx context.Context, operation, id string, w Write) (harness.Answered, Outcome) {
	return c.call(ctx, c.p.operation(operation), operation, id, &w, "")
}

// call is do of an operation that was found, or is nil, at a look-up's page.
func (c *Client) call(ctx context.Context, op *operation, operation, id string, w *Write, cursor string) (harness.Answered, Outcome) {
	s := c.idle.Swap(nil)
	if s == nil {
		s = sendings.Get().(*sending)
	}
	raw, err := c.p.request(&s.asking, op, operation, id, w, c.auth, page{true, cursor})
	if err != nil {
		return harness.Answered{}, Outcome{Class: harness.NeverDispatched, Err: err}
	}
	s.watch.connected.Store(false)
	req, err := c.request(ctx, s, raw)
	if err != nil {
		return harness.Answered{}, Outcome{Class: harness.NeverDispatched, Err: &sendError{operation: operation, err: err}}
	}
	resp, err := c.roundTrip(operation, s, req)
	if err != nil {
		out := Outcome{Class: ClassOfError(err, s.watch.connected.Load()), Err: err}
		c.done(s)
		return harness.Answered{}, out
	}
	a, out := c.heard(operation, resp, &s.read)
	c.done(s)
	return a, out
}

// heard reads an answer to its end.
func (c *Client) heard(operation string, resp *http.Response, room *reading) (harness.Answered, Outcome) {
	defer resp.Body.Close()
	out := Outcome{Class: harness.Unknown, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
	if h := c.p.requestID; h != "" {
		out.RequestID = first(resp.Header[h])
	}
	body, err := room.from(resp.Body)
	if err != nil {
		out.Err = fmt.Errorf("%s: status %d without its whole body: %w", operation, resp.StatusCode, err)
		return harness.Answered{}, out
	}
	if len(body) > maxAnswer {
		out.Err = fmt.Errorf("%s: status %d with more than %d bytes", operation, resp.StatusCode, maxAnswer)
		return harness.Answered{}, out
	}
	n := namer{c.p}
	a := *n.Answer(operation, harness.RawAnswer{Status: resp.StatusCode, Header: resp.Header, Body: body})
	out.Code, out.Resource, out.Replayed = a.Code, a.Resource, a.Replayed
	out.Class = c.p.promises.ClassOf(resp.StatusCode, &a)
	if a.Opaque {
		out.Err = fmt.Errorf("%s: status %d: %w", operation, resp.StatusCode, ErrShape)
	}
	return a, out
}

// retryAfter reads whole seconds (RFC 9110 section 10.2.3); the other form, a date,
// is measured on a clock that the caller does not have, and is left out.
func retryAfter(h http.Header) time.Duration {
	after := strings.TrimSpace(first(h["Retry-After"]))
	if after == "" {
		return 0
	}
	n, err := strconv.Atoi(after)
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return time.Duration(n) * time.Second
}
