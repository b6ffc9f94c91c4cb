package wire_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// TestUnreachable: for that hand-over a process is given a name that does not resolve, or
// an address at which no handshake succeeds; the next one has the target again.
func TestUnreachable(t *testing.T) {
	// curl(1), exit codes: 6 could not resolve host, 35 a TLS connect error.
	script := `curl -sk -m 20 -d '{"thing":"A"}' "$DRILL_TARGET_URL/things" >/dev/null || { echo "curl $?"; exit 75; }; ` + reportDone
	for line, code := range map[string]string{"deliver#1 no-name": "curl 6", "deliver#1 no-tls": "curl 35"} {
		t.Run(line, func(t *testing.T) {
			r := newRig(t, nil)
			h, shop := r.run(shell(t, script, line))
			fired(t, h)
			require.Len(t, events(h, harness.EvFault), 1)
			require.Equal(t, []string{code}, trimmed(notes(h, harness.EvLog)))
			require.Empty(t, events(h, harness.EvRefused), "no proxy is asked")
			require.Equal(t, 1, shop.count())
			require.Len(t, events(h, harness.EvRequest), 1, "the second delivery's")
			require.Len(t, events(h, harness.EvAck), 1)
		})
	}
}

// TestUnreachableFunction: a function keeps its address, and its dialer answers as a
// resolver or a handshake does.
func TestUnreachableFunction(t *testing.T) {
	for line, is := range map[string]func(error) bool{
		"deliver#2 no-name": func(err error) bool {
			d, ok := errors.AsType[*net.DNSError](err)
			return ok && d.IsNotFound
		},
		"deliver#2 no-tls": func(err error) bool {
			op, ok := errors.AsType[*net.OpError](err)
			return ok && op.Op == "remote error"
		},
	} {
		t.Run(line, func(t *testing.T) {
			var got []error
			r := newRig(t, map[string]worker.Func{"it": func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				resp, err := env.HTTP.Do(request(t, ctx, env))
				if got = append(got, err); err != nil {
					return err
				}
				_ = resp.Body.Close()
				report(harness.Report{ActionID: job.Actions[0].ActionID, Outcome: harness.Done, Resource: "thing"})
				return nil
			}})
			h, _ := r.run(schedule(t, "func", "it", line))
			fired(t, h)
			require.Len(t, got, 3)
			require.NoError(t, got[0])
			require.True(t, is(got[1]), "%v", got[1])
			require.NoError(t, got[2])
		})
	}
}
