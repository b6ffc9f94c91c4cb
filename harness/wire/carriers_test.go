package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// saw is what a client on a raw socket got.
type saw struct {
	bytes string
	end   string // eof, reset, silence
}

// rawClient speaks HTTP on a plain socket, so that a test sees bytes and errno.
type rawClient struct {
	conn net.Conn
}

func dial(env worker.Env) (*rawClient, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(env.TargetURL, "http://"))
	return &rawClient{c}, err
}

func (c *rawClient) send(method, body string, n int) {
	all := fmt.Sprintf("%s /things HTTP/1.1\r\nHost: shop\r\nContent-Length: %d\r\n\r\n%s", method, len(body), body)
	_, _ = io.WriteString(c.conn, all[:len(all)-len(body)+n])
}

const (
	// silence is how long nothing has to come where that is what is to be seen.
	silence = 150 * time.Millisecond
	// patience bounds every wait for what is due: no test is about it, and a machine may
	// be busy.
	patience = 20 * time.Second
)

// answer reads one whole answer off a connection that stays open.
func (c *rawClient) answer() string {
	return c.until(patience, func(s string) bool { return strings.HasSuffix(s, "}") || strings.HasSuffix(s, "</html>\r\n") }).bytes
}

// rest reads until the connection ends.
func (c *rawClient) rest() saw { return c.ending("eof") }

// ending reads until the connection ends, in that way or another. Where silence is due, it
// ends with that.
func (c *rawClient) ending(due string) saw {
	wait := patience
	if due == "silence" {
		wait = silence
	}
	return c.until(wait, func(string) bool { return false })
}

func (c *rawClient) until(wait time.Duration, enough func(string) bool) saw {
	var s saw
	buf := make([]byte, 4096)
	for !enough(s.bytes) {
		_ = c.conn.SetReadDeadline(time.Now().Add(wait))
		n, err := c.conn.Read(buf)
		s.bytes += string(buf[:n])
		switch {
		case errors.Is(err, syscall.ECONNRESET):
			s.end = "reset"
		case errors.Is(err, io.EOF):
			s.end = "eof"
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.end = "silence"
		default:
			continue
		}
		return s
	}
	return s
}

const (
	letter     = `{"thing":"A"}`
	wholeHead  = "HTTP/1.1 201 Created\r\nContent-Length: 14\r\nContent-Type: application/json\r\n\r\n"
	wholeReply = `{"id":"thing"}`
)

// TestFaultsStrikeExactly sends one create under each fault from a raw socket, cold
// and warm, and then one more: the first is struck, the second is not.
func TestFaultsStrikeExactly(t *testing.T) {
	for _, c := range []struct {
		line    string
		bytes   string
		end     string
		commits int
	}{
		{"create#1 request close", "", "eof", 0},
		{"create#1 request reset", "", "reset", 0},
		{"create#1 request hang", "", "silence", 0},
		{"create#1 request cut 5", "", "eof", 0},
		{"create#1 response close", "", "eof", 1},
		{"create#1 response reset", "", "reset", 1},
		{"create#1 response hang", "", "silence", 1},
		{"create#1 response truncate 0", wholeHead, "eof", 1},
		{"create#1 response truncate 5", wholeHead + wholeReply[:5], "eof", 1},
		{"create#1 response truncate head 12", wholeHead[:12], "eof", 1},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/warm=%v", c.line, warm), func(t *testing.T) {
				var got, second saw
				r := newRig(t, map[string]worker.Func{"raw": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
					k, err := dial(env)
					if err != nil {
						return err
					}
					defer k.conn.Close()
					if warm {
						k.send("GET", "", 0)
						k.answer()
					}
					k.send("POST", letter, len(letter))
					got = k.ending(c.end)
					again, err := dial(env)
					if err != nil {
						return err
					}
					defer again.conn.Close()
					again.send("POST", letter, len(letter))
					second.bytes = again.answer()
					report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
					return nil
				}})
				h, shop := r.run(schedule(t, "func", "raw", c.line))
				fired(t, h)
				require.Equal(t, saw{c.bytes, c.end}, got)
				require.Contains(t, second.bytes, "201 Created", "the next request passes")
				require.Equal(t, c.commits+1, shop.count())
				require.Len(t, events(h, harness.EvFault), 1, "it fires once")
				lost := events(h, harness.EvLost)
				require.Len(t, lost, 1)
				require.Equal(t, 1, lost[0].N)
			})
		}
	}
}

// once posts one thing with Env's client and reports it.
func once(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
	k, err := dial(env)
	if err != nil {
		return err
	}
	defer k.conn.Close()
	k.send("POST", letter, len(letter))
	k.answer()
	report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
	return nil
}

// TestAnswersInPlace covers the faults that answer otherwise.
func TestAnswersInPlace(t *testing.T) {
	for _, c := range []struct {
		line, want string
		commits    int
	}{
		{"create#1 request status 503", "HTTP/1.1 503 ", 0},
		{"create#1 request status 429 retry-after 1s", "Retry-After: 1\r\n", 0},
		{"create#1 response status 504", "HTTP/1.1 504 ", 1},
		{"create#1 response html", "<h1>502 Bad Gateway</h1>", 1},
		{"create#1 target reject 422", "HTTP/1.1 422 ", 0},
		{"create#1 request delay 20ms", "HTTP/1.1 201 ", 1},
		{"create#1 response delay 20ms", "HTTP/1.1 201 ", 1},
		{"create#1 request duplicate", "HTTP/1.1 201 ", 2},
		{"create#1 request hold until report#1", "HTTP/1.1 201 ", 1},
	} {
		t.Run(c.line, func(t *testing.T) {
			var got string
			r := newRig(t, map[string]worker.Func{"raw": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				k, err := dial(env)
				if err != nil {
					return err
				}
				defer k.conn.Close()
				k.send("POST", letter, len(letter))
				got = k.answer()
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
				return nil
			}})
			h, shop := r.run(schedule(t, "func", "raw", c.line))
			fired(t, h)
			require.Contains(t, got, c.want)
			require.Equal(t, c.commits, shop.count())
			require.Len(t, events(h, harness.EvFault), 1)
		})
	}
}

// TestContinueAndPipelining: a cut strikes its own answer, though "100 Continue"
// stands before it, or another answer of the same connection does.
func TestContinueAndPipelining(t *testing.T) {
	for _, c := range []struct{ name, line, send, want string }{
		{"100-continue", "create#1 response truncate head 12", "POST /things HTTP/1.1\r\nHost: shop\r\nExpect: 100-continue\r\nContent-Length: 13\r\n\r\n" + letter,
			"HTTP/1.1 100 Continue\r\n\r\n" + wholeHead[:12]},
		{"pipelined", "create#2 response truncate head 12", strings.Repeat("POST /things HTTP/1.1\r\nHost: shop\r\nContent-Length: 13\r\n\r\n"+letter, 3),
			wholeReply + wholeHead[:12]},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got saw
			r := newRig(t, map[string]worker.Func{"raw": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				k, err := dial(env)
				if err != nil {
					return err
				}
				defer k.conn.Close()
				_, _ = io.WriteString(k.conn, c.send)
				got = k.rest()
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
				return nil
			}})
			h, _ := r.run(schedule(t, "func", "raw", c.line))
			fired(t, h)
			require.True(t, strings.HasSuffix(got.bytes, c.want), "%q", got.bytes)
			require.Equal(t, "eof", got.end)
		})
	}
}

// TestGivenUp: a request that the tap has read whole reaches the target once, though
// its sender does not wait.
func TestGivenUp(t *testing.T) {
	r := newRig(t, map[string]worker.Func{"raw": func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		k, err := dial(env)
		if err != nil {
			return err
		}
		k.send("POST", letter, len(letter))
		_ = k.conn.(*net.TCPConn).CloseWrite()
		_ = k.conn.Close()
		report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
		return nil
	}})
	h, shop := r.run(schedule(t, "func", "raw", "create#1 request delay 60ms"))
	fired(t, h)
	require.Equal(t, 1, shop.count())
}
