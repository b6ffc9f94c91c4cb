package targets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/port"
	"github.com/retrydrill/drill/targets"
)

const token = "sk_test_drill"

var args = harness.Arguments{"charge": "ch_1", "amount": int64(1099)}

func write(key string) targets.Write {
	return targets.Write{Key: key, ActionID: "act_1", BusinessKey: "ch_1", Arguments: args}
}

func stripe(t testing.TB) *targets.Profile {
	t.Helper()
	p, err := targets.Builtin("stripe-v1")
	require.NoError(t, err)
	return p
}

// atFake returns a client of a fresh fake.
func atFake(t testing.TB) (*targets.Client, *fakes.Fake) {
	t.Helper()
	f, err := fakes.New(stripe(t), fakes.Options{Token: token})
	require.NoError(t, err)
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return targets.NewClient(stripe(t), s.URL, token, s.Client()), f
}

// at returns a client of a server that answers this way.
func at(t testing.TB, h http.HandlerFunc) *targets.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return targets.NewClient(stripe(t), s.URL+"/", token, s.Client())
}

func TestClientAtTheFake(t *testing.T) {
	c, f := atFake(t)
	ctx := context.Background()
	out := c.Create(ctx, write("k"))
	require.NoError(t, out.Err)
	assert.Equal(t, harness.Confirmed, out.Class)
	assert.Equal(t, 200, out.Status)
	assert.False(t, out.Replayed)
	assert.NotEmpty(t, out.RequestID)
	require.Len(t, f.Effects(), 1)
	assert.Equal(t, f.Effects()[0].Resource, out.Resource)

	again := c.Create(ctx, write("k"))
	assert.True(t, again.Replayed)
	assert.Equal(t, out.Resource, again.Resource)

	changed := write("k")
	changed.Arguments = harness.Arguments{"charge": "ch_1", "amount": int64(1299)}
	refused := c.Create(ctx, changed)
	assert.Equal(t, harness.RejectedPermanent, refused.Class)
	assert.Equal(t, "idempotency_error", refused.Code)

	want := targets.Object{Resource: out.Resource, Reference: "act_1", Arguments: stripe(t).Namer().Digest(args)}
	got, read := c.Get(ctx, out.Resource)
	assert.Equal(t, want, got)
	assert.Equal(t, harness.Confirmed, read.Class)
	_, read = c.Get(ctx, "re_nope")
	assert.Equal(t, harness.RejectedPermanent, read.Class)
	assert.Equal(t, "resource_missing", read.Code)
	all, found := c.Find(ctx, "ch_1")
	assert.Equal(t, harness.Confirmed, found.Class)
	assert.Equal(t, []targets.Object{want}, all)
}

func TestFindReadsAllPages(t *testing.T) {
	c, f := atFake(t)
	ctx := context.Background()
	for range 250 {
		w := write("")
		w.Arguments = harness.Arguments{"charge": "ch_1", "amount": int64(1)}
		require.Equal(t, harness.Confirmed, c.Create(ctx, w).Class)
	}
	all, out := c.Find(ctx, "ch_1")
	require.Equal(t, harness.Confirmed, out.Class)
	require.Len(t, all, 250)
	assert.Equal(t, f.Effects()[249].Resource, all[0].Resource)
	assert.Equal(t, f.Effects()[0].Resource, all[249].Resource)
	none, out := c.Find(ctx, "ch_2")
	assert.Equal(t, harness.Confirmed, out.Class)
	assert.Empty(t, none)
}

func TestFindThatCanNotGoOn(t *testing.T) {
	pages := 0
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		pages++
		fmt.Fprint(w, `{"data":[{"id":"re_1"}],"has_more":true}`)
	})
	_, out := c.Find(context.Background(), "ch_1")
	assert.Equal(t, harness.Unknown, out.Class)
	require.ErrorIs(t, out.Err, targets.ErrShape)
	assert.Equal(t, 2, pages)

	c = at(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("starting_after") != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"re_1"}],"has_more":true}`)
	})
	_, out = c.Find(context.Background(), "ch_1")
	assert.Equal(t, harness.Unknown, out.Class, "a list whose second page is missing proves nothing")
}

func TestWhatIsSent(t *testing.T) {
	var head http.Header
	var body, path string
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		head, body, path = r.Header, string(b), r.URL.RequestURI()
		fmt.Fprint(w, `{"id":"re_1","data":[]}`)
	})
	ctx := context.Background()
	c.Create(ctx, write("act_1:g2"))
	assert.Equal(t, "/v1/refunds", path)
	assert.Equal(t, "amount=1099&charge=ch_1&metadata%5Baction_id%5D=act_1", body)
	assert.Equal(t, "act_1:g2", head.Get("Idempotency-Key"))
	assert.Equal(t, "Bearer "+token, head.Get("Authorization"))
	assert.Equal(t, "application/x-www-form-urlencoded", head.Get("Content-Type"))
	c.Create(ctx, write(""))
	assert.NotContains(t, head, "Idempotency-Key")
	c.Find(ctx, "ch_1")
	assert.Equal(t, "/v1/refunds?charge=ch_1&limit=100", path)
	assert.Empty(t, body)
	c.Get(ctx, "re_1/../x")
	assert.Equal(t, "/v1/refunds/re_1%2F..%2Fx", path)
}

func TestAnswersThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		class  harness.Class
		status int
	}{
		{"html that says 200", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, harness.Unknown, 200},
		{"gateway", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusGatewayTimeout) }, harness.Unknown, 504},
		{"a 402 of a gateway", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusPaymentRequired) }, harness.Unknown, 402},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, harness.Unknown, 307},
		{"cut body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"id":"re_1"`)
		}, harness.Unknown, 200},
		{"closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, harness.Unknown, 0},
		{"throttled", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(429)
			fmt.Fprint(w, `{"error":{"type":"invalid_request_error","code":"rate_limit"}}`)
		}, harness.RejectedTransient, 429},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := at(t, c.answer).Create(context.Background(), write("k"))
			assert.Equal(t, c.class, out.Class)
			assert.Equal(t, c.status, out.Status)
			assert.Equal(t, c.class == harness.Unknown, out.Err != nil)
		})
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, " 3 ": 3 * time.Second, "-1": 0, "soon": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0} {
		out := at(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(429)
		}).Create(context.Background(), write("k"))
		assert.Equal(t, want, out.RetryAfter, header)
	}
}

func TestWithoutAnswer(t *testing.T) {
	create := func(url string, hc *http.Client) targets.Outcome {
		return targets.NewClient(stripe(t), url, token, hc).Create(context.Background(), write("k"))
	}
	t.Run("refused", func(t *testing.T) {
		nobody, err := port.Hold()
		require.NoError(t, err)
		defer nobody.Close()
		out := create("http://"+nobody.Address(), nil)
		assert.Equal(t, harness.NeverDispatched, out.Class)
		assert.ErrorIs(t, out.Err, syscall.ECONNREFUSED)
	})
	t.Run("name", func(t *testing.T) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x.invalid", IsNotFound: true}}
		}
		out := create("http://x.invalid", &http.Client{Transport: &http.Transport{DialContext: dial}})
		assert.Equal(t, harness.NeverDispatched, out.Class)
		var dns *net.DNSError
		assert.ErrorAs(t, out.Err, &dns)
	})
	t.Run("tls", func(t *testing.T) {
		plain := httptest.NewServer(http.NotFoundHandler())
		defer plain.Close()
		assert.Equal(t, harness.NeverDispatched, create("https"+strings.TrimPrefix(plain.URL, "http"), nil).Class)
		secure := httptest.NewUnstartedServer(http.NotFoundHandler())
		secure.Config.ErrorLog = log.New(io.Discard, "", 0)
		secure.StartTLS()
		defer secure.Close()
		assert.Equal(t, harness.NeverDispatched, create(secure.URL, &http.Client{}).Class)
	})
	t.Run("deadline", func(t *testing.T) {
		stop := make(chan struct{})
		ctx := overdue{context.Background(), make(chan struct{})}
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			close(ctx.passed)
			<-stop
		}))
		defer s.Close()
		defer close(stop)
		out := targets.NewClient(stripe(t), s.URL, token, nil).Create(ctx, write("k"))
		assert.Equal(t, harness.Unknown, out.Class)
		assert.ErrorIs(t, out.Err, context.DeadlineExceeded)
	})
	t.Run("no such argument", func(t *testing.T) {
		w := write("k")
		w.Arguments = harness.Arguments{"colour": "red"}
		out := targets.NewClient(stripe(t), "http://127.0.0.1:1", token, nil).Create(context.Background(), w)
		assert.Equal(t, harness.NeverDispatched, out.Class)
		assert.ErrorContains(t, out.Err, "colour")
	})
}

// overdue is a context whose deadline passes when it is told to: once the request is there,
// however long that takes.
type overdue struct {
	context.Context
	passed chan struct{}
}

func (o overdue) Done() <-chan struct{} { return o.passed }

func (o overdue) Err() error {
	select {
	case <-o.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestRefusedAfterASendIsUnknown: net/http sends a keyed request again when a used
// connection dies; the second sending is refused, the first has committed.
func TestRefusedAfterASendIsUnknown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var hits atomic.Int32
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hits.Add(1) == 1 {
			fmt.Fprint(w, `{"id":"re_1"}`)
			return
		}
		l.Close()
		panic(http.ErrAbortHandler)
	})}
	go s.Serve(l)
	defer s.Close()
	hc := &http.Client{Transport: &http.Transport{}}
	c := targets.NewClient(stripe(t), "http://"+l.Addr().String(), token, hc)
	require.Equal(t, harness.Confirmed, c.Create(context.Background(), write("warm")).Class)
	out := c.Create(context.Background(), write("k"))
	require.True(t, errors.Is(out.Err, syscall.ECONNREFUSED), "%v", out.Err)
	assert.Equal(t, harness.Unknown, out.Class)
	assert.EqualValues(t, 2, hits.Load())
}

func TestTheTableOfErrors(t *testing.T) {
	assert.Equal(t, harness.NeverDispatched, targets.ClassOfError(fmt.Errorf("wrapped: %w", syscall.ECONNREFUSED), false))
	assert.Equal(t, harness.Unknown, targets.ClassOfError(syscall.ECONNREFUSED, true))
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, context.DeadlineExceeded, context.Canceled} {
		assert.Equal(t, harness.Unknown, targets.ClassOfError(err, false), "%v", err)
	}
	for _, u := range targets.WithoutAnswer {
		assert.NotEmpty(t, u.Name)
		assert.NotEmpty(t, u.Doc)
		assert.Equal(t, harness.NeverDispatched, u.Class)
	}
}
