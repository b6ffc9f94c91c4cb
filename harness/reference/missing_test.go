package reference

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deleting is a target's transport behind which the receipts are deleted once the
// first effect is there and its answer on the way.
type deleting struct {
	*trial
	t    *testing.T
	gone bool
}

func (d *deleting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.trial.RoundTrip(r)
	if r.Method == http.MethodPost && !d.gone {
		d.gone = true
		files, gerr := filepath.Glob(filepath.Join(d.env.StateDir, File+"*"))
		require.NoError(d.t, gerr)
		require.NotEmpty(d.t, files)
		for _, f := range files {
			require.NoError(d.t, os.Remove(f))
		}
	}
	return resp, err
}

// TestDatabaseDeleted: the receipts are deleted under a running worker. Its answer
// can not be recorded, so the delivery fails; the next one finds no receipt, and
// takes that for no proof.
func TestDatabaseDeleted(t *testing.T) {
	for profile, want := range map[string]harness.Outcome{
		"stripe-v1":           harness.Done,
		"lookup-by-reference": harness.Done,
		"no-key-no-lookup":    harness.NeedsReview,
		"../../testdata/profiles/blind-refunds.yaml": harness.NeedsReview,
	} {
		t.Run(filepath.Base(profile), func(t *testing.T) {
			x := newTrialAt(t, profile)
			x.env.HTTP = &http.Client{Transport: &deleting{trial: x, t: t}}
			a := actionAt(t, profile, "A")
			x.deliver(Executors[0], job(1, a))
			require.Len(t, x.failures, 1)
			require.ErrorIs(t, x.failures[0], receipt.ErrGone)
			require.Empty(t, x.reports, "what is not recorded is not reported")
			require.Len(t, x.fake.Effects(), 1)
			for n := 2; n <= 4; n++ {
				x.pastLease()
				x.deliver(Executors[0], job(n, a))
			}
			require.Len(t, x.failures, 1)
			t.Log(x.receipt("A"), x.reports)
			require.Len(t, x.fake.Effects(), 1, "no second effect")
			for _, r := range x.reports {
				assert.Equal(t, want, r.Outcome, r.Detail)
			}
		})
	}
}

// TestBegunBefore: an earlier life left a record that tells of no request. Its later
// writes may be lost, so that the target is asked first; where the record tells of a
// refusal, or no read proves absence, a kept key is enough.
func TestBegunBefore(t *testing.T) {
	begin := func() *bench {
		b := newBench(t)
		c := receipt.Claim{ActionID: "A", TriggerKey: "trigger", BusinessKey: "ch_1", Effect: "refund", Arguments: action("A", 1099).Arguments,
			Digest: action("A", 1099).ArgumentsSHA256, Approval: action("A", 1099).Approval, Covered: true, Owner: "w1", Lease: time.Second, Now: began}
		_, _, err := b.store.Claim(t.Context(), c)
		require.NoError(t, err)
		b.stub.Do(t.Context(), "create", targets.Write{Key: "A", ActionID: "A", Arguments: c.Arguments})
		b.stub.clock.now = began.Add(2 * time.Second)
		return b
	}
	b := begin()
	b.stub.kept = map[string]kept{}
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))), "the target forgot its keys")
	assert.Len(t, b.stub.effects, 1)
	assert.Len(t, b.stub.sent, 1)

	b = begin()
	b.stub.promises.Lookup.Authoritative = false
	assert.Equal(t, done("A", "re_1"), b.one(job(1, action("A", 1099))))
	assert.Empty(t, b.stub.looked)

	b = newBench(t, throttle)
	b.rules.Limits.PerLife = 1
	_, err := b.deliver(job(1, action("A", 1099)))
	require.Error(t, err)
	assert.Equal(t, done("A", "re_1"), b.one(job(2, action("A", 1099))))
	assert.Empty(t, b.stub.looked)
}

// TestClockSetBack: while an outcome is unknown the clock goes back. That makes no
// second effect, neither where the key is forgotten meanwhile nor where it holds.
func TestClockSetBack(t *testing.T) {
	const retention = time.Hour
	for _, back := range []time.Duration{time.Second, 30 * time.Minute, 100 * time.Hour} {
		for _, script := range [][]string{{lost}, {torn}} {
			t.Run(back.String()+" "+script[0], func(t *testing.T) {
				b := newBench(t, script...)
				b.env.KeyRetention = retention
				b.stub.finds = []string{lost, lost, lost}
				_, err := b.deliver(job(1, action("A", 1099)))
				require.Error(t, err, "the look-up fails, the outcome stays unknown")
				// The target forgets, and the worker's clock goes back behind the request.
				b.stub.kept = map[string]kept{}
				b.stub.clock.Sleep(t.Context(), -back)
				var got harness.Report
				for n := 2; n < 40 && got.Outcome == ""; n++ {
					out, err := b.deliver(job(n, action("A", 1099)))
					if err == nil && out[0].Outcome != harness.Waiting {
						got = out[0]
					}
					b.stub.clock.Sleep(t.Context(), 3*time.Hour)
				}
				require.Equal(t, harness.Done, got.Outcome)
				require.Len(t, b.stub.effects, 1)
			})
		}
	}
}

// actionAt is the profile's own action, approved.
func actionAt(t *testing.T, profile, id string) worker.JobAction {
	p, err := targets.Load(profile)
	require.NoError(t, err)
	d := p.DefaultAction()
	a := action(id, 1)
	a.BusinessKey, a.Effect, a.Arguments, a.ArgumentsSHA256 = d.BusinessKey, d.Effect, d.Arguments, d.Arguments.Digest()
	a.Approval.ArgumentsSHA256 = a.ArgumentsSHA256
	return a
}
