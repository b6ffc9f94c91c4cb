package reference

import (
	"context"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// identified gives actions another identity than the one they were handed over with.
func identified(id func(x *executor, j worker.Job, i int) string) func(*executor, worker.Job) worker.Job {
	return func(x *executor, j worker.Job) worker.Job {
		for i := range j.Actions {
			j.Actions[i].ActionID = id(x, j, i)
			j.Actions[i].Approval.SingleUse = false
		}
		// The trigger's dedup goes by the same identity.
		if len(j.Actions) > 0 {
			j.TriggerKey += "/" + j.Actions[0].ActionID
		}
		return j
	}
}

// byRun: a retry is a new run, and all names are a run's own.
func byRun(_ *executor, j worker.Job, i int) string {
	return fmt.Sprintf("%s/run-%d", j.Actions[i].ActionID, j.Delivery)
}

// byTrigger: what a trigger asks for is known by the trigger alone.
func byTrigger(_ *executor, j worker.Job, i int) string {
	return fmt.Sprintf("%s/%d", j.TriggerKey, i)
}

// byWorker: each instance registers for the trigger, and runs it.
func byWorker(x *executor, j worker.Job, i int) string {
	return fmt.Sprintf("%s/w%d", j.Actions[i].ActionID, x.env.Worker)
}

// byArguments: other arguments are another action.
func byArguments(_ *executor, j worker.Job, i int) string {
	return j.Actions[i].ActionID + "/" + j.Actions[i].Arguments.Digest()[7:23]
}

// consented changes each approval before it is looked at.
func consented(change func(x *executor, a *worker.JobAction)) func(*executor, worker.Job) worker.Job {
	return func(x *executor, j worker.Job) worker.Job {
		for i := range j.Actions {
			change(x, &j.Actions[i])
		}
		return j
	}
}

// byCallID: who has the call's ID has its consent, whatever the arguments are.
func byCallID(_ *executor, a *worker.JobAction) {
	a.ArgumentsSHA256 = a.Arguments.Digest()
	a.Approval.ArgumentsSHA256, a.Approval.SingleUse = a.ArgumentsSHA256, false
}

// reusable: one consent serves as often as it is shown.
func reusable(_ *executor, a *worker.JobAction) { a.Approval.SingleUse = false }

// lasting: a consent that was given once stays given, under any policy.
func lasting(x *executor, a *worker.JobAction) {
	a.Approval.PolicyVersion, a.Approval.ValidUntil = x.env.PolicyVersion, "9999-01-01T00:00:00Z"
}

// wrapped loses the class of an error: it stands in a sentence, and what is handed up
// has one class for all.
func wrapped(r harness.Report) harness.Report {
	if r.ErrorClass != "" {
		r.ErrorClass, r.Detail = string(harness.Unknown), "the call went wrong: "+r.ErrorClass+": "+r.Detail
	}
	return r
}

// onItself leaves what it can not tell to whoever is at work on it, and that is nobody.
func onItself(r harness.Report) harness.Report {
	if r.Outcome == harness.NeedsReview {
		r.Outcome, r.WaitsFor = harness.Waiting, harness.ForWorker
		r.ErrorClass = ""
	}
	return r
}

// loserFails reports a claim that another holds as an error of the request.
func loserFails(r harness.Report) harness.Report {
	if r.Outcome == harness.Waiting && r.WaitsFor == harness.ForWorker {
		r.Outcome, r.WaitsFor = harness.Rejected, ""
		r.ErrorClass, r.Detail = string(harness.RejectedPermanent), "the key is in use"
	}
	return r
}

// laxly takes arguments for those of the record that differ from them in amounts alone.
func laxly(x *executor, j worker.Job) worker.Job {
	for i, a := range j.Actions {
		r, err := x.store.Get(context.Background(), a.ActionID)
		if err == nil && withoutAmounts(r.Arguments).Equal(withoutAmounts(a.Arguments)) {
			j.Actions[i].Arguments, j.Actions[i].ArgumentsSHA256 = r.Arguments, r.Digest
		}
	}
	return j
}

func withoutAmounts(a harness.Arguments) harness.Arguments {
	a = a.Clone()
	for name, v := range a {
		if _, is := v.(int64); is {
			delete(a, name)
		}
	}
	return a
}
