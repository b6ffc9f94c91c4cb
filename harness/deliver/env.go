package deliver

import (
	"strconv"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// Declare puts to an environment what a schedule declares to its workers. The world adds
// what is its own: where the target is, who the worker is, its directory, client and clock.
func Declare(e *worker.Env, s *harness.Schedule, p *harness.Promises, token string) {
	l := &s.Limits
	e.Token, e.ClientDeadline, e.Lease, e.KeyRetention = token, l.ClientDeadline.D(), l.Lease.D(), retention(s, p)
	e.PolicyVersion, e.Policy, e.Profile, e.Seed = l.PolicyVersion, s.Executor.Policy, s.Profile, s.Seed
}

// retention is how long keys are kept in this trial.
func retention(s *harness.Schedule, p *harness.Promises) time.Duration {
	if d := s.Settings.ForgetAfter.In(s.Limits); d > 0 {
		return d
	}
	if s.Settings.ForgetKey {
		return s.Limits.Retention.D()
	}
	return p.Key.Retention.D()
}

// Token makes the token that the target demands: nothing else looks like it.
func Token(seed uint64) string {
	return "sk_test_" + harness.Digest(strconv.AppendUint([]byte("token "), seed, 10))[7:39]
}
