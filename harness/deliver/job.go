package deliver

import (
	"encoding/json"
	"maps"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// Delivered makes an empty one, which may have room for actions, the message as the
// history tells it.
func (m *Message) Delivered(d *harness.Delivered, n harness.Namer, how []string) *harness.Delivered {
	d.TriggerKey, d.How = m.trigger, how
	if d.Actions == nil {
		d.Actions = []harness.DeliveredAction{}
	}
	if m.event != nil {
		n := *m.event
		d.Event = &n
		return d
	}
	if m.recover {
		return d
	}
	for i := range m.actions {
		a := &m.actions[i]
		k := m.known.readBy(n, m.digest(a))
		d.Actions = append(d.Actions, harness.DeliveredAction{})
		to := &d.Actions[i]
		to.Name, to.As, to.ID, to.BusinessKey, to.Digest, to.Wire = a.Name, a.as, a.ID, a.BusinessKey, k.digest, k.wire
		to.Approval, to.Covered = a.Approval, a.covered
		if k.wires != nil {
			to.Wires = maps.Clone(k.wires)
		}
	}
	return d
}

// wireAction is a JobAction whose arguments keep their spelling.
type wireAction struct {
	worker.JobAction
	Arguments json.RawMessage `json:"arguments"`
}

// Job is what the worker reads. A Go function can take it as it is.
func (m *Message) Job(delivery int) (job worker.Job) {
	m.Fill(&job, delivery)
	return job
}

// Fill makes an empty job the one that the worker reads.
func (m *Message) Fill(job *worker.Job, delivery int) {
	job.Protocol, job.Deliver, job.Delivery, job.TriggerKey = worker.Protocol, worker.DeliverActions, delivery, m.trigger
	job.Answer, job.Actions = m.answer, []worker.JobAction{}
	switch {
	case m.event != nil:
		job.Deliver, job.TriggerKey, job.Event = worker.DeliverEvent, "", told(*m.event)
		return
	case m.recover:
		job.Deliver, job.TriggerKey = worker.DeliverRecover, ""
		return
	}
	job.Actions = m.known.jobs(len(m.actions))
	for i := range m.actions {
		a := &m.actions[i]
		k := m.digest(a)
		to := &job.Actions[i]
		to.ActionID, to.BusinessKey, to.Effect, to.ArgumentsSHA256, to.Approval = a.ID, a.BusinessKey, a.Effect, k.digest, a.Approval
		if a.spelled {
			to.Arguments = a.Spelled.Clone()
		} else {
			to.Arguments = m.known.lend(k)
		}
	}
}

// Raw is the job on one line, in the spelling that the worker reads.
func (m *Message) Raw(delivery int) ([]byte, error) {
	job := struct {
		worker.Job
		Actions []wireAction `json:"actions"`
	}{Job: m.Job(delivery), Actions: []wireAction{}}
	for i, a := range job.Job.Actions {
		args, err := a.Arguments.Canonical()
		if err != nil {
			return nil, err
		}
		if m.actions[i].respell {
			args = respell(args)
		}
		job.Actions = append(job.Actions, wireAction{a, args})
	}
	out, err := json.Marshal(job)
	return append(out, '\n'), err
}
