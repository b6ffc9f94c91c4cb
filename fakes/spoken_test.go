package fakes_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// stood is a profile's fake behind proxy and tap, spoken to in its own protocol.
type stood struct {
	*wire.Stand
	t testing.TB
}

// stand serves a built-in profile until the test ends, and then wants nothing left.
func stand(t testing.TB, profile, token string) *stood {
	t.Helper()
	p, err := targets.Builtin(profile)
	require.NoError(t, err)
	a := p.DefaultAction()
	a.Name, a.ID = "A", "act-A"
	s, err := wire.OpenStand(wire.StandOptions{Target: fakes.Of(p), Token: token, Listen: "127.0.0.1:0",
		Schedule: harness.Schedule{Version: harness.ScheduleVersion, Seed: 7, Profile: profile, Limits: harness.DefaultLimits(), Actions: []harness.Action{a}}})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		require.NoError(t, s.Close(ctx))
		goleak.VerifyNone(t)
	})
	return &stood{s, t}
}

// address is host and port.
func (s *stood) address() string {
	_, address, _ := strings.Cut(s.URL(), "://")
	return address
}

// arm arms lines; they count from now on.
func (s *stood) arm(lines ...string) {
	s.t.Helper()
	var faults []harness.Fault
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(s.t, err)
		faults = append(faults, f)
	}
	_, err := s.Arm(s.t.Context(), faults)
	require.NoError(s.t, err)
}

// fired waits until every armed line was carried out.
func (s *stood) fired() {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer stop()
	for _, a := range s.Await(ctx, 0, tap.Fired) {
		require.Equal(s.t, tap.Fired, a.State, "%s", a.Fault)
	}
}

// dial opens a raw connection.
func (s *stood) dial() *rawConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address())
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = c.Close() })
	return &rawConn{Conn: c, t: s.t}
}

// rawConn shows a test bytes and errno.
type rawConn struct {
	net.Conn
	t testing.TB
}

// saw is what came, and how it ended: eof, reset or silence.
type saw struct{ bytes, end string }

// silence is how long nothing has to come to be called silence.
const silence = 200 * time.Millisecond

// patience bounds the wait for bytes that are due.
const patience = 10 * time.Second

// rest reads to the end of the connection, or until it is silent. With bytes that
// are due it waits longer, since a test's machine may be slow.
func (c *rawConn) rest(due int) saw {
	var s saw
	buf := make([]byte, 64<<10)
	for {
		wait := silence
		if len(s.bytes) < due {
			wait = patience
		}
		_ = c.SetReadDeadline(time.Now().Add(wait))
		n, err := c.Read(buf)
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
}

func events(all []harness.Event, kind harness.EventKind) (out []harness.Event) {
	for _, e := range all {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}
