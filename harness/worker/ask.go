package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/retrydrill/drill/harness"
)

// asker makes requests to workers: each once, on a connection of its own, past any
// proxy, and none follows a redirect.
var asker = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request makes one request, with raw as its body where the ask has none.
func (l *served) request(ctx context.Context, a harness.Ask, f fields, raw []byte) (status int, body []byte, err error) {
	if a.Body != nil {
		filled, err := f.fill(a.Body)
		if err != nil {
			return 0, nil, err
		}
		if raw, err = json.Marshal(filled); err != nil {
			return 0, nil, err
		}
	}
	path, err := f.path(a.Path)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, a.Method, "http://"+l.port.Address()+path, bytes.NewReader(raw))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	for k, v := range a.Headers {
		if v, err = f.text(v, func(s string) string { return s }); err != nil {
			return 0, nil, err
		}
		r.Header.Set(k, v)
	}
	answer, err := asker.Do(r)
	if err != nil {
		return 0, nil, l.unanswered(ctx)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, MaxOutput))
	if err != nil {
		return 0, nil, l.unanswered(ctx)
	}
	return answer.StatusCode, body, nil
}

// errSilent is returned where a worker that lives closed the connection.
var errSilent = errors.New("it closed the connection without a whole answer")

// unanswered says why there was no answer.
func (l *served) unanswered(ctx context.Context) error {
	if l.struck.Load() || dying(l.pid) {
		<-l.reaped
		return errGone
	}
	select {
	case <-l.reaped:
		return errGone
	case <-time.After(endGrace):
		return errSilent
	case <-ctx.Done():
		if err := context.Cause(ctx); errors.Is(err, errGivenUp) {
			return err
		}
		return errGone
	}
}

// endGrace is how long a worker that closed a connection may take to be known to have
// ended, where the system does not tell before: on Linux it does, and a shell or the like
// that the worker was started by ends after it.
const endGrace = 50 * time.Millisecond

// isReady asks once whether the worker can be asked.
func (l *served) isReady(ctx context.Context, path string) bool {
	if path == "" {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.port.Address())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.port.Address()+path, nil)
	if err != nil {
		return false
	}
	answer, err := asker.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode >= 200 && answer.StatusCode <= 299
}

// decoded is an answer's JSON, or nil.
func decoded(body []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// each calls f with each object of a body: one after another, or in a list. What is no
// JSON is handed on as it is.
func each(body []byte, f func(text []byte, whole bool)) {
	d := json.NewDecoder(bytes.NewReader(body))
	for {
		at := d.InputOffset()
		var one json.RawMessage
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			f(body[at:], false)
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(one, &list) != nil {
			list = []json.RawMessage{one}
		}
		for _, x := range list {
			f(compact(x), true)
		}
	}
}

// compact is one value on one line.
func compact(x []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, x) != nil {
		return x
	}
	return b.Bytes()
}

// quote logs what was answered, where nothing came of it.
func quote(on Listener, body []byte) {
	if on.Log != nil && len(bytes.TrimSpace(body)) > 0 {
		on.Log(string(bytes.TrimSpace(body)))
	}
}
