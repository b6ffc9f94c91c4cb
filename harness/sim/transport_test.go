package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

// request is what a test's executor sends once.
type request struct {
	method, header, body string
}

// saw is what the executor got of it.
type saw struct {
	err  error
	text string
}

// once sends one request, after a GET on the same connection where it is to be warm,
// and reports.
func once(q request, warm bool, got *saw) worker.Func {
	return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		c := env.Client()
		if warm {
			resp, err := c.Get(env.TargetURL + "/things")
			if err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		r, err := http.NewRequestWithContext(ctx, q.method, env.TargetURL+"/things", strings.NewReader(q.body))
		if err != nil {
			return err
		}
		if q.body == "" {
			r.Body, r.GetBody, r.ContentLength = nil, nil, 0
		}
		if q.header != "" {
			r.Header.Set(q.header, "k1")
		}
		*got = act(c, r)
		return done(job, report)
	}
}

func act(c *http.Client, r *http.Request) saw {
	resp, err := c.Do(r)
	if err != nil {
		return saw{err, string(tap.FailureOf(err))}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return saw{err, fmt.Sprintf("%d %q %s", resp.StatusCode, b, tap.FailureOf(err))}
}

// TestTheTransportIsThatOfNetHTTP sends the same requests under the same faults over
// real sockets and in the sim: what the caller sees, how often the target commits and
// how many requests the transport made of one call are the same. It holds the table
// of when net/http sends again by itself, and that of what a cut answer looks like.
func TestTheTransportIsThatOfNetHTTP(t *testing.T) {
	requests := []request{
		{"POST", "", "{}"}, {"POST", "Idempotency-Key", "{}"}, {"POST", "X-Idempotency-Key", "{}"}, {"POST", "PayPal-Request-Id", "{}"},
		{"DELETE", "Idempotency-Key", ""}, {"PUT", "", "{}"},
	}
	lines := []string{
		"create#1 request close", "create#1 request reset", "create#1 request cut 1", "create#1 response close", "create#1 response reset",
		"create#1 response hang", "create#1 response truncate 5", "create#1 response truncate 0", "create#1 response truncate head 0",
		"create#1 response truncate head 1", "create#1 response truncate head 12", "create#1 response truncate head 30",
		"create#1 response status 503", "create#1 response html", "create#1 response delay 2s", "create#1 request delay 2s",
		"deliver#1 down", "create#1 request duplicate",
	}
	calls := map[string]*call{}
	var cases []sending
	for _, line := range lines {
		for _, warm := range []bool{false, true} {
			if warm && strings.HasSuffix(line, "down") {
				continue
			}
			c := sending{line: line, warm: warm, waits: strings.Contains(line, "hang") || strings.Contains(line, "delay")}
			for _, q := range requests {
				if q.body == "" && strings.Contains(line, "cut") || c.waits && len(c.calls) == 2 {
					// Nothing is cut there; and what waits shows the same of each.
					continue
				}
				x := &call{name: fmt.Sprint(line, warm, q), request: q}
				calls[x.name], c.calls = x, append(c.calls, x)
			}
			cases = append(cases, c)
		}
	}
	executors := map[string]worker.New{}
	for name, x := range calls {
		executors[name] = func(env worker.Env) (worker.Func, func() error, error) { return always(x.sends)(env) }
	}
	model := sim.New(sim.Options{Target: shopOf, Builtins: executors})
	real, err := wire.New(wire.Options{Target: shopOf, Builtins: executors, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(real.Close(), model.Close())) })
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s/warm=%v", c.line, c.warm), func(t *testing.T) {
			if c.waits {
				// A real deadline passes: they wait beside each other.
				t.Parallel()
			}
			for _, x := range c.calls {
				want := c.tell(t, real, "wire", x)
				have := c.tell(t, model, "sim", x)
				require.Equal(t, want, have, "%v: with net/http, and in the sim", x.request)
			}
		})
	}
}

// sending is what is sent under one fault.
type sending struct {
	line string
	warm bool
	// waits: the caller's deadline is what ends it.
	waits bool
	calls []*call
}

// call is one request, and the worker that sends it.
type call struct {
	name    string
	request request
	sends   worker.Func
}

// tell carries out one call and says what came of it.
func (c sending) tell(t *testing.T, w harness.World, world string, x *call) string {
	var got saw
	x.sends = once(x.request, c.warm, &got)
	s := schedule(t, world, x.name, c.line)
	// Only where a deadline is what is compared may one pass: a machine that is busy
	// elsewhere is no difference between the two.
	s.Limits.ClientDeadline = harness.Duration(30 * time.Second)
	if c.waits {
		// What is delayed comes a second later: no stop of the machine in between is so long.
		s.Limits.ClientDeadline = harness.Duration(time.Second)
	}
	s.Limits.Delivery, s.Limits.Trial = harness.Duration(time.Minute), harness.Duration(2*time.Minute)
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	sends := []int{}
	for _, e := range events(h, harness.EvHeard) {
		sends = append(sends, e.Sends)
	}
	return fmt.Sprintf("%s; %d commits; sends %v; fired %v", got.text, len(events(h, harness.EvEffect)), sends, h.FaultsFired())
}

// TestErrorsAreThoseOfNetHTTP: what a careful client asks of an error is answered as
// net/http answers it.
func TestErrorsAreThoseOfNetHTTP(t *testing.T) {
	for _, c := range []struct {
		line string
		is   []error
		op   string
	}{
		{"create#1 response close", []error{io.EOF}, ""},
		{"create#1 response reset", []error{syscall.ECONNRESET}, "read"},
		{"create#1 response truncate 3", []error{io.ErrUnexpectedEOF}, ""},
		{"create#1 response hang", []error{context.DeadlineExceeded}, ""},
		{"deliver#1 down", []error{syscall.ECONNREFUSED}, "dial"},
	} {
		t.Run(c.line, func(t *testing.T) {
			var got saw
			run(t, once(request{"POST", "", "{}"}, false, &got), c.line)
			require.Error(t, got.err)
			for _, want := range c.is {
				require.ErrorIs(t, got.err, want)
			}
			var u *url.Error
			if !strings.Contains(c.line, "truncate") {
				require.ErrorAs(t, got.err, &u)
				require.Equal(t, slices.Contains(c.is, context.DeadlineExceeded), u.Timeout())
			}
			var o *net.OpError
			if require.Equal(t, c.op != "", errors.As(got.err, &o)); o != nil {
				require.Equal(t, c.op, o.Op)
			}
		})
	}
}

// TestConnectionsAreKept: one that was read to its end is used again, another is not.
func TestConnectionsAreKept(t *testing.T) {
	h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		for _, whole := range []bool{true, false, true} {
			resp, err := env.Client().Get(env.TargetURL + "/things")
			if err != nil {
				return err
			}
			if whole {
				_, _ = io.Copy(io.Discard, resp.Body)
			}
			_ = resp.Body.Close()
		}
		return done(job, report)
	})
	var conns []int
	for _, e := range events(h, harness.EvRequest) {
		conns = append(conns, e.Conn)
	}
	require.Equal(t, []int{1, 1, 2}, conns)
}

// TestWhatIsRefused: a host outside of the trial, and a deadline on the real clock.
func TestWhatIsRefused(t *testing.T) {
	var outside, late, slept error
	h := run(t, func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		_, outside = env.Client().Get("http://example.test/")
		real, stop := context.WithTimeout(ctx, 1<<40)
		defer stop()
		r, err := http.NewRequestWithContext(real, "GET", env.TargetURL, nil)
		if err != nil {
			return err
		}
		_, late = env.HTTP.Do(r)
		slept = env.Clock.Sleep(real, 1)
		return done(job, report)
	})
	require.Equal(t, harness.FailName, tap.FailureOf(outside))
	require.Contains(t, kinds(h), "refused a request to example.test, outside of the trial")
	require.ErrorIs(t, late, sim.ErrClock)
	require.ErrorIs(t, slept, sim.ErrClock)
	require.Empty(t, events(h, harness.EvRequest))
}
