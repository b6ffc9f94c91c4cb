package reference

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/retrydrill/drill/targets"
)

// neverLeft are the ends of a request of which no byte can have arrived.
var neverLeft = []string{"refused", "name"}

// resendsSafely repeats once: what changes nothing after an error, what changes
// something where it never left.
func resendsSafely(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := next.RoundTrip(req)
	if err == nil || req.Context().Err() != nil || onTimeout(nil, err) {
		return resp, err
	}
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	if !reads && !slices.Contains(neverLeft, targets.UnansweredName(err)) {
		return nil, err
	}
	again, gerr := rewound(req)
	if gerr != nil {
		return nil, gerr
	}
	return next.RoundTrip(again)
}

// bothHeaders sends the key under another name, too.
func bothHeaders(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	both := req.Clone(req.Context())
	for _, h := range keyHeaders {
		if v := both.Header.Get(h); v != "" {
			both.Header.Set("X-Request-Key", v)
		}
	}
	return next.RoundTrip(both)
}

// withBody is the request with other bytes.
func withBody(req *http.Request, body []byte) *http.Request {
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return out
}

func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}

// bodyByKey sends, with each repeat of a key, the bytes that went out with it first.
func bodyByKey() trip {
	var mu sync.Mutex
	first := map[string][]byte{}
	return func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		body, err := bodyOf(req)
		if err != nil {
			return nil, err
		}
		key := ""
		for _, h := range keyHeaders {
			key += req.Header.Get(h)
		}
		if key != "" {
			mu.Lock()
			if before, again := first[key]; again {
				body = bytes.Clone(before)
			}
			first[key] = body
			mu.Unlock()
		}
		return next.RoundTrip(withBody(req, body))
	}
}

// respelled sends the same arguments in another spelling.
func respelled(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	body, err := bodyOf(req)
	if err != nil || len(body) == 0 {
		return next.RoundTrip(withBody(req, body))
	}
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		pairs := strings.Split(string(body), "&")
		slices.Reverse(pairs)
		return next.RoundTrip(withBody(req, []byte(strings.ReplaceAll(strings.Join(pairs, "&"), "_", "%5F"))))
	}
	var whole any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		return nil, err
	}
	return next.RoundTrip(withBody(req, spelled(nil, whole)))
}

// spelled writes JSON with its names in falling order, blanks and escapes.
func spelled(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		slices.Reverse(names)
		for i, name := range names {
			if i > 0 {
				b = append(b, " ,\n "...)
			}
			b = append(spelled(append(b, ' '), name), " : "...)
			b = spelled(b, v[name])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, " , "...)
			}
			b = spelled(b, e)
		}
		return append(b, ']')
	case string:
		quoted, _ := json.Marshal(v)
		return append(b, strings.ReplaceAll(string(quoted), "a", `\u0061`)...)
	default:
		plain, _ := json.Marshal(v)
		return append(b, plain...)
	}
}
