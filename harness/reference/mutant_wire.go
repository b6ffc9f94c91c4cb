package reference

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness/worker"
)

// resends sends a request again that came to nothing in the eyes of a layer which
// knows neither the operation nor its key.
func resends(when func(*http.Response, error) bool) trip {
	return func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if !when(resp, err) || req.Context().Err() != nil {
			return resp, err
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
		again, gerr := rewound(req)
		if gerr != nil {
			return nil, gerr
		}
		return next.RoundTrip(again)
	}
}

func rewound(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.GetBody == nil {
		return again, nil
	}
	body, err := req.GetBody()
	again.Body = body
	return again, err
}

// onError: the connection ended early, whatever the method and however far the request
// came. The deadline is the whole call's, which leaves no time for another one.
func onError(resp *http.Response, err error) bool { return err != nil && !onTimeout(resp, err) }

// onTimeout: the deadline alone.
func onTimeout(_ *http.Response, err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// impatient gives each exchange below a layer half of the client's deadline, where the
// transport has no clock of its own that bounds it.
func impatient(layer func(*worker.Env)) func(*worker.Env) {
	return func(env *worker.Env) {
		c := *env.HTTP
		if _, timed := c.Transport.(worker.Timed); !timed && c.Transport != nil {
			c.Transport = tripper{c.Transport, within(env.ClientDeadline / 2)}
		}
		env.HTTP = &c
		layer(env)
	}
}

// patient waits for an answer for as long as several leases.
func patient(env *worker.Env) { env.ClientDeadline += 10 * env.Lease }

// within ends an exchange that has no answer after so long, as a timeout.
func within(d time.Duration) trip {
	return func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		ctx, stop := context.WithCancel(req.Context())
		late := time.AfterFunc(d, stop)
		resp, err := next.RoundTrip(req.WithContext(ctx))
		if !late.Stop() && err != nil && req.Context().Err() == nil {
			err = os.ErrDeadlineExceeded
		}
		if err != nil {
			stop()
			return nil, err
		}
		context.AfterFunc(req.Context(), stop)
		return resp, nil
	}
}

// onStatus: a status that a gateway gives.
func onStatus(resp *http.Response, err error) bool {
	return err == nil && resp.StatusCode >= 500
}

// keyHeaders are the headers in which a key travels.
var keyHeaders = []string{"Idempotency-Key", "X-Idempotency-Key", "PayPal-Request-Id", "Cko-Idempotency-Key"}

// withoutKey passes on what it knows, and a key is not among it.
func withoutKey(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	bare := req.Clone(req.Context())
	for _, h := range keyHeaders {
		bare.Header.Del(h)
	}
	return next.RoundTrip(bare)
}

// otherHeader sends the key under a name that the target does not read.
func otherHeader(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	moved := req.Clone(req.Context())
	for _, h := range keyHeaders {
		if v := moved.Header.Get(h); v != "" {
			moved.Header.Del(h)
			moved.Header.Set("X-Request-Key", v)
		}
	}
	return next.RoundTrip(moved)
}

// notRewound reads the body of a request from one reader, which is at its end when
// the same key is sent a second time.
func notRewound() trip {
	var mu sync.Mutex
	read := map[string]bool{}
	return func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		key := ""
		for _, h := range keyHeaders {
			key += req.Header.Get(h)
		}
		mu.Lock()
		again := key != "" && read[key]
		read[key] = true
		mu.Unlock()
		if !again {
			return next.RoundTrip(req)
		}
		empty := req.Clone(req.Context())
		empty.Body, empty.ContentLength = http.NoBody, 0
		empty.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
		return next.RoundTrip(empty)
	}
}
