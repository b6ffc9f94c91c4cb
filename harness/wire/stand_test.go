package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/harness/worker"
)

// served is a stand in front of shops, one a round.
type served struct {
	*wire.Stand
	t     *testing.T
	mu    sync.Mutex
	shops []*shop
}

func stand(t *testing.T) *served {
	t.Helper()
	s := &served{t: t}
	var err error
	s.Stand, err = wire.OpenStand(wire.StandOptions{Listen: "127.0.0.1:0",
		Schedule: harness.Schedule{Seed: 1, Profile: "shop", Limits: harness.DefaultLimits()},
		Target: func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) {
			shop := newShop()
			s.mu.Lock()
			defer s.mu.Unlock()
			s.shops = append(s.shops, shop)
			return shop.target(), nil
		}})
	require.NoError(t, err)
	t.Cleanup(func() { s.close() })
	return s
}

func (s *served) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(s.t, s.Close(ctx))
}

func (s *served) arm(lines ...string) []tap.Armed {
	s.t.Helper()
	armed, err := s.Arm(s.t.Context(), faults(s.t, lines...))
	require.NoError(s.t, err)
	return armed
}

func faults(t *testing.T, lines ...string) []harness.Fault {
	t.Helper()
	var out []harness.Fault
	for _, l := range lines {
		f, err := harness.ParseFault(l)
		require.NoError(t, err)
		out = append(out, f)
	}
	return out
}

// holds waits until the line that was armed last holds its request.
func (s *served) holds() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	armed := s.Armed()
	last := armed[len(armed)-1]
	require.Equal(s.t, tap.Holding, s.Await(ctx, last.ID, tap.Holding)[len(armed)-1].State)
}

// await waits until all that is armed fired.
func (s *served) await() []tap.Armed {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	lines := s.Await(ctx, 0, tap.Fired)
	for _, l := range lines {
		require.Equal(s.t, tap.Fired, l.State, l.Fault)
	}
	return lines
}

func (s *served) dial() *rawClient {
	s.t.Helper()
	c, err := dial(worker.Env{TargetURL: s.URL()})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = c.conn.Close() })
	return c
}

// create sends one whole POST and returns its answer.
func (s *served) create() string {
	s.t.Helper()
	c := s.dial()
	defer c.conn.Close()
	c.send("POST", letter, len(letter))
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	resp, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, err := httputil.DumpResponse(resp, true)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestStandStrikesAsTrialsDo arms each cut while a client holds a warm connection,
// one after the other on one stand: FIN and RST take turns, and the line counts from
// its arming.
func TestStandStrikesAsTrialsDo(t *testing.T) {
	s := stand(t)
	for _, c := range []struct {
		line       string
		bytes, end string
		commits    int
	}{
		{"create#1 request close", "", "eof", 0},
		{"create#1 request reset", "", "reset", 0},
		{"create#1 request hang", "", "silence", 0},
		{"create#1 request cut 5", "", "eof", 0},
		{"create#1 response reset", "", "reset", 1},
		{"create#1 response close", "", "eof", 1},
		{"create#1 response hang", "", "silence", 1},
		{"create#1 response truncate 5", wholeHead + wholeReply[:5], "eof", 1},
		{"create#1 response reset", "", "reset", 1},
		{"create#1 response truncate head 12", wholeHead[:12], "eof", 1},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/warm=%v", c.line, warm), func(t *testing.T) {
				s.t = t
				before := s.shops[0].count()
				// A connection from before the arming, so that links have to give way.
				idle := s.dial()
				idle.send("POST", letter, len(letter))
				require.Contains(t, idle.answer(), "201 Created")
				armed := s.arm(c.line)
				require.Len(t, armed, 1)
				k := s.dial()
				if warm {
					k.send("GET", "", 0)
					k.answer()
				}
				k.send("POST", letter, len(letter))
				require.Equal(t, saw{c.bytes, c.end}, k.ending(c.end))
				_ = k.conn.Close()
				fired := s.await()
				require.Equal(t, c.line, fired[len(fired)-1].Fault.String())
				require.Len(t, fired[len(fired)-1].Attempts, 1)
				require.Contains(t, s.create(), "201 Created", "the next request passes")
				require.Equal(t, before+2+c.commits, s.shops[0].count())
			})
		}
	}
}

// TestStandAnswersOtherwise: the faults that end no connection, at once and by one
// arming.
func TestStandAnswersOtherwise(t *testing.T) {
	s := stand(t)
	s.arm("create#1 response html", "create#2 target reject 402", "create#3 request status 503 retry-after 2s",
		"create#4 request duplicate", "create#5 response delay 20ms")
	require.Contains(t, s.create(), "502 Bad Gateway")
	require.Contains(t, s.create(), "402 Payment Required")
	require.Contains(t, s.create(), "Retry-After: 2")
	require.Contains(t, s.create(), "201 Created")
	require.Contains(t, s.create(), "201 Created")
	s.await()
	require.Equal(t, 1+2+1, s.shops[0].count())
	// Over: armed anew, the numbers begin anew.
	s.arm("create#1 response html")
	require.Contains(t, s.create(), "502 Bad Gateway")
	s.await()
}

// TestStandCountsFromArming: a request that came before is not struck on its way
// back by a line that came after it.
func TestStandCountsFromArming(t *testing.T) {
	s := stand(t)
	s.arm("create#1 target hold until find#1 request")
	first := make(chan string)
	go func() { first <- s.create() }()
	s.holds()
	s.arm("create#1 response html")
	c := s.dial()
	c.send("GET", "", 0)
	c.answer()
	require.Contains(t, <-first, "201 Created")
	require.Contains(t, s.create(), "502 Bad Gateway")
	lines := s.await()
	require.Equal(t, "met", lines[0].Note)
}

// until waits for an event at an operation.
func (s *served) until(op string, kind harness.EventKind) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		for _, e := range s.Events() {
			if e.Kind == kind && e.Op == op {
				return true
			}
		}
		return false
	}, patience, time.Millisecond)
}

// TestStandTurnsLinks: a request that is on its way while links give way is answered,
// its connection ends, and a line that needs the other kind waits for a later one.
func TestStandTurnsLinks(t *testing.T) {
	s := stand(t)
	busy := s.dial()
	busy.send("POST", letter, 5)
	// Nobody tells a client that its head arrived, or that its connection is idle again.
	busyOnes := func() bool { return wire.Busy(s.Stand) == 1 }
	require.Eventually(t, busyOnes, patience, time.Millisecond)
	half := s.dial()
	half.send("POST", letter, len(letter))
	require.Contains(t, half.answer(), "201 Created")
	require.Eventually(t, busyOnes, patience, time.Millisecond, "the first one alone")
	s.arm("create#1 response reset")
	require.Equal(t, saw{"", "eof"}, half.rest(), "idle connections end as the arming returns")
	_, err := io.WriteString(busy.conn, letter[5:])
	require.NoError(t, err)
	got := busy.rest()
	require.Contains(t, got.bytes, "201 Created")
	require.Contains(t, got.bytes, "Connection: close")
	require.Equal(t, "eof", got.end)
	require.Equal(t, tap.Waiting, s.Armed()[0].State, "what came on it is not counted")
	next := s.dial()
	next.send("POST", letter, len(letter))
	require.Equal(t, saw{"", "reset"}, next.rest())
}

func TestStandRefuses(t *testing.T) {
	s := stand(t)
	for _, c := range []struct{ line, reason string }{
		{"create#1 response kill", "needs a worker that drill owns"},
		{"create#1 request stop 1s", "needs a worker that drill owns"},
		{"deliver#1 times 2", "deliver is no boundary of a served target"},
		{"report#1 lose", "report is no boundary"},
		{"record#1 fail", "record is no boundary"},
		{"create#1@w1 response close", "leave the @ out"},
		{"create#1@A response close", "leave the @ out"},
		{"create#1 target hold until report#1", "waits for an operation"},
		{"create#1 target hold until mutate#1", "waits for an operation"},
	} {
		_, err := s.Arm(t.Context(), faults(t, c.line))
		var no *wire.NotServedError
		require.ErrorAs(t, err, &no, c.line)
		require.ErrorContains(t, err, c.reason)
	}
	s.arm("create#2 response reset")
	for _, line := range []string{"create#1 response close", "create#2 response html"} {
		_, err := s.Arm(t.Context(), faults(t, "find#1 response html", line))
		var clash *tap.ClashError
		require.ErrorAs(t, err, &clash)
		require.ErrorContains(t, err, `"create#2 response reset"`)
		require.ErrorContains(t, err, line, "as it was written")
	}
	require.Len(t, s.Armed(), 1, "all or none")
	require.True(t, s.Disarm(1))
	require.False(t, s.Disarm(1))
	s.arm("create#1 response close")
	many := make([]string, wire.MaxArmed)
	for i := range many {
		many[i] = fmt.Sprintf("find#%d response html", i+1)
	}
	_, err := s.Arm(t.Context(), faults(t, many...))
	require.ErrorIs(t, err, wire.ErrTooManyArmed)
}

// TestStandReset: held and silenced requests are let go, what they do is the old
// target's, and numbers begin anew.
func TestStandReset(t *testing.T) {
	s := stand(t)
	s.arm("create#1 target hold until find#1", "create#2 response hang")
	held := make(chan string)
	go func() { held <- s.create() }()
	s.until("create", harness.EvRequest)
	silent := s.dial()
	silent.send("POST", letter, len(letter))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	waited := make(chan []tap.Armed)
	s.until("create", harness.EvFault)
	go func() { waited <- s.Await(ctx, 0, tap.Fired) }()
	next := s.Schedule()
	next.Seed = 9
	require.NoError(t, s.Reset(next))
	require.Contains(t, <-held, "201 Created")
	require.Equal(t, saw{"", "eof"}, silent.rest())
	require.Empty(t, <-waited)
	require.Len(t, s.shops, 2)
	require.Equal(t, 2, s.shops[0].count())
	require.Empty(t, s.Effects())
	require.Empty(t, s.Events())
	require.Equal(t, uint64(9), s.Schedule().Seed)
	require.Contains(t, s.create(), "201 Created")
	require.Len(t, s.Effects(), 1)
	require.Equal(t, 1, s.Effects()[0].Attempt)
}

// TestStandResetEndsWhatComesAfter: a silence that begins only when the round is over ends
// as well.
func TestStandResetEndsWhatComesAfter(t *testing.T) {
	s := stand(t)
	s.arm("create#1 response hang")
	at, goOn := make(chan struct{}), make(chan struct{})
	s.shops[0].committed = func() { close(at); <-goOn }
	c := s.dial()
	c.send("POST", letter, len(letter))
	<-at
	require.NoError(t, s.Reset(s.Schedule()))
	close(goOn)
	require.Equal(t, saw{"", "eof"}, c.rest())
}

// TestStandStops: a request in flight gets its answer, an idle connection ends, a held
// and a silenced one are let go, and later requests find nobody.
func TestStandStops(t *testing.T) {
	s := stand(t)
	s.arm("create#1 target hold until find#1", "create#2 response hang")
	held := make(chan string)
	go func() { held <- s.create() }()
	s.until("create", harness.EvRequest)
	silent := s.dial()
	silent.send("POST", letter, len(letter))
	s.until("create", harness.EvFault)
	idle := s.dial()
	require.Eventually(t, func() bool { return wire.Open(s.Stand) == 3 }, patience, time.Millisecond, "it has come to the tap")
	address := strings.TrimPrefix(s.URL(), "http://")
	s.close()
	require.Contains(t, <-held, "201 Created")
	require.Equal(t, "eof", silent.rest().end)
	require.Equal(t, "eof", idle.rest().end)
	_, err := net.Dial("tcp", address)
	require.Error(t, err)
	s.close()
}

// TestStandUnderLoad arms, resets and asks from many sides at once: what passes is
// answered, and every cut is one that was armed.
func TestStandUnderLoad(t *testing.T) {
	s := stand(t)
	stop := make(chan struct{})
	var all sync.WaitGroup
	var failed, sent int
	var mu sync.Mutex
	for range 4 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := client.Post(s.URL()+"/things", "application/json", strings.NewReader(letter))
				mu.Lock()
				sent++
				if err != nil {
					failed++
				}
				mu.Unlock()
				if err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			}
		})
	}
	fired := 0
	for i := range 40 {
		line := []string{"create#1 response reset", "create#2 response close"}[i%2]
		for _, a := range s.arm(line) {
			require.NotZero(t, a.ID)
		}
		for _, a := range s.await() {
			fired += len(a.Attempts)
		}
		require.NoError(t, s.Reset(s.Schedule()))
	}
	close(stop)
	all.Wait()
	require.Equal(t, 40, fired)
	commits := 0
	for _, shop := range s.shops {
		commits += shop.count()
	}
	// A client whose idle connection ends as it sends may fail too; then nothing came
	// to the target.
	require.Equal(t, commits, sent-failed+40, "of %d requests %d failed", sent, failed)
}

func TestStandPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = wire.OpenStand(wire.StandOptions{Listen: l.Addr().String(), Schedule: harness.Schedule{Limits: harness.DefaultLimits()},
		Target: func(*harness.Schedule, tap.TargetEnv) (*tap.Target, error) { return newShop().target(), nil }})
	require.ErrorContains(t, err, "address already in use")
}
