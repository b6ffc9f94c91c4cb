package wire_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// secured is a schedule whose worker calls a host of its own over HTTPS, with curl, and
// prints how that ended.
func secured(t *testing.T, script string, lines ...string) harness.Schedule {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing")
	}
	s := shell(t, `call() { curl -s -m 20 -w "%{http_code} " "$@"; echo "curl $?"; }; `+script+"; "+reportDone, lines...)
	s.Executor.Intercept = []string{"api.shop.example"}
	return s
}

const things = `https://api.shop.example/things -d '{"thing":"A"}'`

// TestHTTPSOfTheWorkersOwnHost: it is the target's, and every fault strikes it as it
// would on a plain connection. The worker sees what a client of TLS sees.
func TestHTTPSOfTheWorkersOwnHost(t *testing.T) {
	for _, c := range []struct {
		name, script string
		lines        []string
		effects      int
		// printed is a line that the worker printed: curl's status of the answer and its
		// exit code. 52 is an empty answer, 56 a failure to receive (curl's man page).
		printed []string
	}{
		{"passes", "call " + things, nil, 1, []string{`{"id":"thing"}201 curl 0`}},
		{"closed", "call " + things, []string{"create#1 response close"}, 1, []string{"000 curl 52", "000 curl 56"}},
		{"reset", "call " + things, []string{"create#1 response reset"}, 1, []string{"000 curl 56", "000 curl 35"}},
		{"cut", "call " + things, []string{"create#1 response truncate 5"}, 1, []string{`{"id"201 curl 18`, `{"id"201 curl 56`}},
		{"never arrives", "call " + things, []string{"create#1 request close"}, 0, []string{"000 curl 52", "000 curl 56"}},
		// curl sends again what it wrote to a used connection that ended without an answer.
		{"on one connection", "call " + things + " --next -s " + things, []string{"create#2 response close"}, 3, nil},
		{"down", "call " + things, []string{"deliver#1 down"}, 0, []string{"000 curl 56"}},
		{"another host", `call https://other.example/things`, nil, 0, []string{"000 curl 56"}},
		{"another name for it", `call http://api.shop.example/things`, nil, 0, []string{"403 curl 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			h, shop := r.run(secured(t, c.script, c.lines...))
			fired(t, h)
			require.Equal(t, c.effects, shop.count())
			if c.printed != nil {
				said := strings.Join(notes(h, harness.EvLog), "\n")
				found := false
				for _, p := range c.printed {
					found = found || strings.HasSuffix(strings.TrimSpace(said), p)
				}
				require.True(t, found, said)
			}
			for _, e := range events(h, harness.EvRequest) {
				require.Equal(t, []int{1, 1, 1}, []int{e.Worker, e.Incarnation, e.Delivery})
			}
		})
	}
}

// TestHTTPSAndDeath: a worker that dies takes its tunnel along.
func TestHTTPSAndDeath(t *testing.T) {
	r := newRig(t, nil)
	h, shop := r.run(secured(t, "call "+things, "create#1 response kill"))
	fired(t, h)
	require.Equal(t, 2, shop.count())
	require.Equal(t, []int{1, 2}, lives(h))
	require.Empty(t, events(h, harness.EvBound))
}

// TestAHostThatIsNotInterceptedIsRefused: and nothing is signed for it.
func TestAHostThatIsNotInterceptedIsRefused(t *testing.T) {
	r := newRig(t, nil)
	s := secured(t, "call "+things)
	s.Executor.Intercept = nil
	h, shop := r.run(s)
	require.Zero(t, shop.count())
	require.Equal(t, []string{"a request to api.shop.example:443, outside of the trial"}, notes(h, harness.EvRefused))
}
