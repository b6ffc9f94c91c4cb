package sim_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// TestAnAnswerIsHeardHoweverItIsRead: whoever reads it to its end, copies it, or takes it as
// it is has heard the whole of it, once, and its connection serves the next call.
func TestAnAnswerIsHeardHoweverItIsRead(t *testing.T) {
	ways := map[string]func(io.Reader) ([]byte, error){
		"read": func(r io.Reader) ([]byte, error) { return io.ReadAll(struct{ io.Reader }{r}) },
		"copied": func(r io.Reader) ([]byte, error) {
			var b bytes.Buffer
			_, err := io.Copy(&b, r)
			return b.Bytes(), err
		},
		"taken": func(r io.Reader) ([]byte, error) {
			b := bytes.Clone(r.(tap.Whole).Whole())
			require.Nil(t, r.(tap.Whole).Whole(), "what was taken is read")
			more, err := io.ReadAll(r)
			return append(b, more...), err
		},
	}
	want := ""
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			var got []string
			h := run(t, func(_ context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
				for range 2 {
					resp, err := env.Client().Get(env.TargetURL + "/things")
					if err != nil {
						return err
					}
					b, err := way(resp.Body)
					if err != nil {
						return err
					}
					got = append(got, string(b))
					require.NoError(t, resp.Body.Close())
				}
				return done(job, report)
			})
			require.Len(t, got, 2)
			require.NotEmpty(t, got[0])
			if want == "" {
				want = got[0]
			}
			require.Equal(t, []string{want, want}, got)
			heard := events(h, harness.EvHeard)
			require.Len(t, heard, 2)
			for _, e := range heard {
				require.Equal(t, tap.HeardWhole, e.Note)
			}
			for i, e := range events(h, harness.EvRequest) {
				require.Equal(t, i > 0, e.Warm)
			}
		})
	}
}
