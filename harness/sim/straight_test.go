package sim_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/sim"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// TestATargetThatSaysItIsPromptAndSleeps ends its trial with an error that says so. One
// that does not say it sleeps.
func TestATargetThatSaysItIsPromptAndSleeps(t *testing.T) {
	sends := always(func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		if err := post(env); err != nil {
			return err
		}
		return done(job, report)
	})
	for _, prompt := range []bool{false, true} {
		sleeps := func(_ *harness.Schedule, env tap.TargetEnv) (*tap.Target, error) {
			s := (&shop{}).target()
			s.Prompt = prompt
			serves := s.Handler
			s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := env.Sleep(r.Context(), 10*time.Millisecond); err != nil {
					t.Error(err)
				}
				serves.ServeHTTP(w, r)
			})
			return s, nil
		}
		w := sim.New(sim.Options{Target: sleeps, Builtins: map[string]worker.New{"it": sends}})
		h, err := w.Run(t.Context(), schedule(t, "sim", "it"))
		require.NoError(t, w.Close())
		if prompt {
			require.ErrorContains(t, err, "a request waits in a trial in which none was to wait")
			continue
		}
		require.NoError(t, err)
		require.NotEmpty(t, events(h, harness.EvEffect))
	}
}
