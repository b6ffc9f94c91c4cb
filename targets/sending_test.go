package targets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// TestARequestIsAsNetHTTPMakesIt: field by field, whatever base, path and body.
func TestARequestIsAsNetHTTPMakesIt(t *testing.T) {
	p, err := Builtin("stripe-v1")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"http://target", "http://127.0.0.1:80/api", "https://h:/x%2Fy", "http://u:p@h", "smtp://h:25", "http://h/?q=1", "::", "mailto:x", ""}).Draw(t, "base")
		raw := harness.RawRequest{Method: "POST", Query: rapid.SampledFrom([]string{"", "a=b&c=%20"}).Draw(t, "query"),
			Path:   rapid.SampledFrom([]string{"/v1/refunds", "/v1/a%2Fb", "/", "", "/a b", "/a?b#c", "/ä", "/a:b@c", "/%zz"}).Draw(t, "path"),
			Header: http.Header{"A": {"b"}}, Body: rapid.SampledFrom([][]byte{nil, {}, []byte("x=1")}).Draw(t, "body")}
		c := NewClient(p, base, "", nil)
		ctx := context.WithValue(context.Background(), new(int), 1)
		want, wantErr := http.NewRequestWithContext(ctx, raw.Method, c.base+raw.Path, bytes.NewReader(raw.Body))
		got, gotErr := c.request(ctx, newSending(), &raw)
		if wantErr != nil {
			require.EqualError(t, gotErr, wantErr.Error())
			return
		}
		require.NoError(t, gotErr)
		want.URL.RawQuery, want.Header = raw.Query, raw.Header
		read := func(body io.ReadCloser) string {
			b, err := io.ReadAll(body)
			require.NoError(t, err)
			return string(b)
		}
		for _, r := range []*http.Request{want, got} {
			again, err := r.GetBody()
			require.NoError(t, err)
			require.Equal(t, string(raw.Body), read(again))
			require.Equal(t, r.ContentLength == 0, r.Body == http.NoBody)
			require.Equal(t, string(raw.Body), read(r.Body))
			r.GetBody, r.Body = nil, nil
		}
		require.Equal(t, want, got.WithContext(ctx))
	})
}

// refusing is a transport that answers nothing.
type refusing struct{ err error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

// uncomparable is an error that no other can be compared with.
type uncomparable struct{ list []int }

func (uncomparable) Error() string { return "lost" }

// TestErrorsAreThoseOfTheHTTPClient: who goes round it gets the same error.
func TestErrorsAreThoseOfTheHTTPClient(t *testing.T) {
	p, err := Builtin("stripe-v1")
	require.NoError(t, err)
	s := newSending()
	for _, raw := range []harness.RawRequest{
		{Method: "POST", Path: "/y", Query: "a=b", Header: http.Header{}},
		{Method: "POST", Path: "/y", Header: http.Header{}},
		{Method: "GET", Path: "/y", Header: http.Header{}},
		{Method: "GET", Path: "/y z", Header: http.Header{}},
	} {
		for _, lost := range []error{io.EOF, io.EOF, context.DeadlineExceeded, uncomparable{nil}, uncomparable{nil}} {
			c := NewClient(p, "http://h/x", "", &http.Client{Transport: refusing{lost}})
			r, err := c.request(t.Context(), s, &raw)
			require.NoError(t, err)
			_, err = c.roundTrip("create", s, r)
			got := errors.Unwrap(err)
			_, want := c.hc.Do(r)
			assert.Equal(t, want, got)
			assert.EqualError(t, got, want.Error())
			assert.EqualError(t, err, "create: "+want.Error())
		}
	}
	c := NewClient(p, "http://h", "", &http.Client{Transport: refusing{}})
	_, err = c.roundTrip("create", newSending(), &http.Request{Method: "GET", URL: &url.URL{Scheme: "http"}})
	assert.ErrorIs(t, err, errNoResponse)
}

// TestAUsedRoomAsksTheSame: whatever was asked in it before, of whatever target.
func TestAUsedRoomAsksTheSame(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "act-1", "act-2", "ch_1", "a b&c", "ä", "x%20", strings.Repeat("long", 100)})
	rapid.Check(t, func(t *rapid.T) {
		room := &asking{}
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			p, err := Builtin(rapid.SampledFrom(Names()).Draw(t, "profile"))
			require.NoError(t, err)
			op := rapid.SampledFrom(p.operations).Draw(t, "operation")
			w := Write{Key: text.Draw(t, "key"), ActionID: text.Draw(t, "action"), BusinessKey: text.Draw(t, "business key"),
				Made: map[string]string{}, Arguments: p.DefaultAction().Arguments.Clone()}
			for _, step := range op.rests {
				w.Made[step] = "made-1"
			}
			for _, name := range slices.Sorted(maps.Keys(w.Arguments)) {
				if rapid.Bool().Draw(t, "other") {
					w.Arguments[name] = text.Draw(t, name)
				}
			}
			if n, err := p.Normalise("act", w.Arguments); err == nil && rapid.Bool().Draw(t, "normal") {
				w.Arguments, w.Normal = n.Arguments, n
			}
			if rapid.Bool().Draw(t, "unknown") {
				w.Arguments, w.Normal = harness.Arguments{"unknown": "x"}, nil
			}
			auth, id := rapid.SampledFrom([]string{"", "Bearer t"}).Draw(t, "auth"), rapid.SampledFrom([]string{"id-1", "id-2"}).Draw(t, "id")
			at := rapid.SampledFrom([]page{{}, {true, ""}, {true, "c"}}).Draw(t, "page")
			want, wantErr := p.request(&asking{}, op, op.name, id, &w, auth, at)
			require.Equal(t, wantErr != nil, op.step && w.Arguments["unknown"] != nil)
			for range 2 {
				got, gotErr := p.request(room, op, op.name, id, &w, auth, at)
				require.Equal(t, wantErr, gotErr)
				require.Equal(t, want, got)
				if wantErr == nil {
					require.Equal(t, auth != "", len(got.Header["Authorization"]) == 1)
				}
			}
		}
		require.LessOrEqual(t, len(room.kinds), mostKinds)
	})
}

func TestPagesAreAskedFor(t *testing.T) {
	query := []slot{{escaped: "a", expr: expr{kind: constant, name: "b"}}}
	for _, at := range []struct {
		query                  []slot
		size, by, cursor, want string
	}{
		{nil, "", "page", "", ""},
		{query, "", "page", "", "a=b"},
		{query, "limit", "starting_after", "", "a=b&limit=5"},
		{query, "limit", "starting_after", "x y", "a=b&limit=5&starting_after=x+y"},
		{query, "size", "page", "2", "a=b&page=2&size=5"},
		{nil, "size", "page", "2", "page=2&size=5"},
		{nil, "size", "page", "", "size=5"},
		{query, "", "page[n]", "2", "a=b&page%5Bn%5D=2"},
	} {
		o := &operation{query: at.query, Operation: Operation{Paging: &Paging{Size: at.size, Page: 5, Cursor: at.by}}}
		assert.Equal(t, at.want, string(o.appendQuery(nil, &Write{}, page{true, at.cursor}, new(plainValues))))
		none := ""
		if at.query != nil {
			none = "a=b"
		}
		assert.Equal(t, none, string(o.appendQuery(nil, &Write{}, page{false, at.cursor}, new(plainValues))))
	}
	assert.Equal(t, "a=b", string((&operation{query: query}).appendQuery(nil, &Write{}, page{true, "x"}, new(plainValues))))
}

// BenchmarkRequest is one write, made ready to be sent.
func BenchmarkRequest(b *testing.B) {
	p, err := Builtin("stripe-v1")
	require.NoError(b, err)
	c := NewClient(p, "http://target", "t", nil)
	a := p.DefaultAction()
	w := Write{Key: "act-1", ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments}
	b.ReportAllocs()
	for b.Loop() {
		raw, err := p.Request(harness.CreateOp, "", w)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.request(b.Context(), newSending(), &raw); err != nil {
			b.Fatal(err)
		}
	}
}
