package reference

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twin says in which scene a careless twin goes wrong, and how that shows. The
// reference goes through the same scene and does not.
type twin struct {
	name string
	// target is a profile; empty is stripe-v1.
	target string
	script []string
	// scene delivers; nil is one delivery of A, and one more after the lease.
	scene func(x *trial, e Executor)
	wrong func(x *trial) bool
}

func twoEffects(x *trial) bool { return len(x.fake.Effects()) > 1 }

var twins = []twin{
	{"key-per-attempt", "", []string{lost}, nil, twoEffects},
	{"key-per-attempt", "", []string{killedAfter}, nil, twoEffects},
	{"no-key", "", []string{lost}, nil, twoEffects},
	{"no-key", "", []string{killedAfter}, nil, twoEffects},
	{"retry-everything", "", slices.Repeat([]string{card}, 100), nil, func(x *trial) bool { return x.creates > Careful().Limits.Attempts }},
	{"timeout-as-failure", "", []string{lost}, nil, func(x *trial) bool {
		return x.last().Outcome == harness.Rejected && len(x.fake.Effects()) == 1
	}},
	{"claim-before-send", "", []string{killedBefore}, nil, func(x *trial) bool {
		return x.last().Outcome == harness.Done && len(x.fake.Effects()) == 0
	}},
	{"no-digest-check", "", []string{lost}, changedLater, func(x *trial) bool { return x.last().Outcome == harness.Done }},
	{"no-digest-check", "", []string{killedBefore}, changedLater, func(x *trial) bool {
		return len(x.fake.Effects()) == 1 && x.fake.Effects()[0].Arguments != wire(x, 1099)
	}},
	{"no-approval-check", "", []string{plain}, deniedOnce, func(x *trial) bool { return len(x.fake.Effects()) == 1 }},
	{"no-trigger-dedup", "", []string{plain}, mintedTwice, twoEffects},
	{"dedup-by-business-key", "", []string{plain}, twoIntents, func(x *trial) bool {
		return x.last().Outcome == harness.Done && len(x.fake.Effects()) == 1
	}},
	{"adopt-by-name", "", []string{plain, torn}, twoIntents, func(x *trial) bool {
		return x.last().Outcome == harness.Done && len(x.fake.Effects()) == 1
	}},
	{"asks-a-person", "", []string{lost}, nil, func(x *trial) bool { return x.last().Outcome == harness.NeedsReview }},
	{"record-after-ack", "", []string{killedAfter}, once, func(x *trial) bool { return x.receipt("A").Attempt == 0 }},
	{"missing-receipt-as-proof", "", []string{plain}, elsewhereAndLate, twoEffects},
	{"recovery-by-resend", "", []string{killedAfter}, recovered, twoEffects},
	{"half-done", twoParts, []string{plain, card}, ordered, leftStanding},
	{"undo-on-unknown", twoParts, []string{plain, lost}, ordered, func(x *trial) bool { return slices.Contains(x.ledger(), "undo payment") }},
	{"undo-assumed", twoParts, []string{plain, card, torn}, ordered, leftStanding},
	{"notice-as-trigger", "", []string{killedAfter}, noticed, twoEffects},
	{"notice-as-proof", "", []string{killedBefore}, noticed, func(x *trial) bool { return x.last().Outcome == harness.Done && x.last().Resource == "re_told" }},
	{"batch-resume", "", []string{plain, killedAfter}, batch, func(x *trial) bool { return len(x.fake.Effects()) > 2 }},
	{"answer-as-approval", "", []string{plain}, answeredNo, func(x *trial) bool { return len(x.fake.Effects()) == 1 }},
	{"says-the-token", "", []string{plain}, nil, func(x *trial) bool { return strings.Contains(x.last().Detail, token) }},
}

// plain: nothing happens to a request.
const plain = ""

func deniedOnce(x *trial, e Executor) {
	a := action("A", 1099)
	a.Approval.Status = harness.Denied
	x.deliver(e, job(1, a))
}

// mintedTwice: one trigger, the same thing, another action ID.
func mintedTwice(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	x.deliver(e, job(2, action("A'", 1099)))
}

// twoIntents: another trigger asks for the same thing once more, and that is meant.
func twoIntents(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	other := job(2, action("B", 1099))
	other.TriggerKey = "another trigger"
	x.deliver(e, other)
}

func ordered(x *trial, e Executor) { x.deliver(e, job(1, order("A"))) }

// leftStanding: something was made and stays, beside a report of rejected.
func leftStanding(x *trial) bool { return x.last().Outcome == harness.Rejected && x.stands() > 0 }

func once(x *trial, e Executor) { x.deliver(e, job(1, action("A", 1099))) }

// elsewhereAndLate: the same delivery on another machine, when the key is forgotten.
func elsewhereAndLate(x *trial, e Executor) {
	const retention = 24 * time.Hour
	x.env.KeyRetention = retention
	x.deliver(e, job(1, action("A", 1099)))
	x.env.StateDir = x.t.TempDir()
	x.clock.Sleep(x.t.Context(), retention+time.Hour)
	x.deliver(e, job(2, action("A", 1099)))
}

// recovered: a life that is handed nothing comes after one that died.
func recovered(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	x.deliver(e, worker.Job{Protocol: worker.Protocol, Deliver: worker.DeliverRecover, Delivery: 2})
}

// noticed: the target tells of the action by itself, and then the delivery comes again.
func noticed(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	x.pastLease()
	told := ours("re_told")
	told.BusinessKey = "ch_1"
	x.deliver(e, notice(2, told))
	if len(x.reports) == 0 {
		x.deliver(e, job(3, action("A", 1099)))
	}
}

// batch: two actions in one delivery, and the same delivery again.
func batch(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099), action("B", 1099)))
	x.pastLease()
	x.deliver(e, job(2, action("A", 1099), action("B", 1099)))
}

// answeredNo: an approval is missing, and a person says no.
func answeredNo(x *trial, e Executor) {
	a := action("A", 1099)
	a.Approval = harness.Approval{Status: harness.NoGrant}
	x.deliver(e, job(1, a))
	a = action("A", 1099)
	a.Approval.Status = harness.Denied
	j := job(2, a)
	j.Answer = "no"
	x.deliver(e, j)
}

func changedLater(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	x.pastLease()
	changed := action("A", 1299)
	changed.Approval = action("A", 1099).Approval
	x.deliver(e, job(2, changed))
}

func again(x *trial, e Executor) {
	x.deliver(e, job(1, action("A", 1099)))
	x.pastLease()
	x.deliver(e, job(2, action("A", 1099)))
}

func TestTwins(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range twins {
		shown[c.name] = true
		t.Run(strings.TrimSpace(c.name+" "+c.script[0]), func(t *testing.T) {
			assert.True(t, c.wrong(play(t, c, byName(t, c.name))), "the twin goes wrong")
			assert.False(t, c.wrong(play(t, c, Executors[0])), "the reference does not")
		})
	}
	for _, e := range Executors {
		assert.Equal(t, !e.Careful, shown[e.Name], "%s is shown to be wrong", e.Name)
		assert.NotEmpty(t, e.Doc)
	}
}

func play(t *testing.T, c twin, e Executor) *trial {
	x := newTrialAt(t, cmp.Or(c.target, "stripe-v1"), c.script...)
	scene := c.scene
	if scene == nil {
		scene = again
	}
	scene(x, e)
	return x
}

func byName(t *testing.T, name string) Executor {
	i := slices.IndexFunc(Executors, func(e Executor) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return Executors[i]
}

func wire(x *trial, amount int) string {
	p := mustProfile(x.t)
	return p.Namer().Digest(action("A", amount).Arguments)
}
