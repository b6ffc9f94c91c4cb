package sim_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// TestUnreachable: for that hand-over a connection comes to what net/http gives where a
// name does not resolve, or a handshake fails; the next one has the target again.
func TestUnreachable(t *testing.T) {
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
			h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				err := post(env)
				if got = append(got, err); err != nil {
					return err
				}
				return done(job, report)
			}, line)
			require.Len(t, got, 3)
			require.NoError(t, got[0])
			require.True(t, is(got[1]), "%v", got[1])
			require.NoError(t, got[2])
			require.Len(t, events(h, harness.EvRequest), 2)
			require.Len(t, events(h, harness.EvFault), 1)
		})
	}
}
