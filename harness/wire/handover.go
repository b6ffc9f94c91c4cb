package wire

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/worker"
)

// handover is what the runner gets.
func (t *trial) handover(s *seat, d *deliver.Hand, raw []byte) worker.Handover {
	delivery := d.Again
	var env worker.Env
	deliver.Declare(&env, &t.s, &t.target.Promises, deliver.Token(t.s.Seed))
	env.Receipts = t.w.o.Receipts
	env.TargetURL, env.StateDir, env.Worker, env.Clock = t.addressFor(s, d), s.dir, s.number, harness.SystemClock{}
	h := worker.Handover{Env: env, Raw: raw, Blind: t.s.Blind, Delivery: delivery}
	if len(t.s.Executor.Command) == 0 {
		h.Env.Records = records{t, s}
	}
	if !s.process {
		h.Env.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if err := t.unreachable(s); err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		h.Env.Log = slog.New(deliver.Logs(logWriter{t, s}))
		h.Env.HTTP = newEnvClient(t.target.Protocol, func(e harness.Event) {
			b := s.slot.bound.Load()
			if b == nil || b.host != t {
				return
			}
			e.Worker, e.Incarnation, e.Delivery = b.worker, b.incarnation, b.delivery
			t.session.Add(e)
		}, func() error { return t.unreachable(s) })
		return h
	}
	if t.s.Executor.Kind == "builtin" {
		h.Extra = []string{worker.EnvBuiltin + "=" + t.s.Executor.Name, worker.EnvProfile + "=" + t.s.Profile, worker.EnvPolicy + "=" + t.s.Executor.Policy,
			worker.EnvSeed + "=" + fmt.Sprint(t.s.Seed), worker.EnvReceipts + "=" + t.w.o.Receipts}
	}
	h.Extra = append(h.Extra, pastProxies(d)...)
	fill := strings.NewReplacer("${target_url}", env.TargetURL, "${target_token}", env.Token, "${state_dir}", env.StateDir, "${ca_file}", t.authority.path())
	for _, k := range slices.Sorted(maps.Keys(t.s.Executor.Env)) {
		h.Extra = append(h.Extra, k+"="+fill.Replace(t.s.Executor.Env[k]))
	}
	return h
}

// logWriter records what an in-process executor logs.
type logWriter struct {
	t *trial
	s *seat
}

func (w logWriter) Write(p []byte) (int, error) {
	w.t.log(w.s, string(p))
	return len(p), nil
}
