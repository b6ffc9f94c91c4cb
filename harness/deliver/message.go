package deliver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
)

// Message is one trigger on its way to a worker, with what the schedule made of it.
type Message struct {
	trigger string
	actions []handed
	answer  any
	recover bool
	// known are the digests of what was handed over so far.
	known *digests
	// event is a notice of the target; line is the fault that its next hand-over
	// carries out, and over is closed at the end of its first.
	event *harness.Notice
	line  *harness.Fault
	over  chan struct{}
	// late: no delivery is to come before it; hands counts its hand-overs.
	late  bool
	hands int

	// worker is the slot that has it, 0 while none does.
	worker       int
	fails, waits int
	settled      bool
	// acked: an acknowledgement of it is on its way, and settles it by the next end.
	acked bool
	// due is when it is handed over again; waiting: it ended in waiting for another.
	due     time.Duration
	waiting bool
}

// handed is one action as it is handed over.
type handed struct {
	harness.Action
	as      string
	covered bool
	respell bool
	// spelled: it is handed over in the action's other spelling.
	spelled bool
	// digests are those of the arguments as they are, once somebody asked.
	digests *digested
}

// digest returns the digests of the arguments.
func (m *Message) digest(a *handed) *digested {
	if a.digests == nil {
		a.digests = m.known.of(a.Arguments)
	}
	return a.digests
}

func (q *Queue) newMessage(names ...string) *Message {
	m := q.message()
	for _, n := range names {
		m.actions = append(m.actions, handed{})
		a := &m.actions[len(m.actions)-1]
		if of := q.s.Named(n); of != nil {
			a.Action, a.covered = *of, of.Approval.Status == harness.Granted
		}
		if m.trigger == "" {
			m.trigger = a.TriggerKey
		}
	}
	return m
}

// message returns an empty one, of an earlier trial where there is one left.
func (q *Queue) message() *Message {
	if len(q.made) < cap(q.made) {
		q.made = q.made[:len(q.made)+1]
	} else {
		q.made = append(q.made, nil)
	}
	m := q.made[len(q.made)-1]
	if m == nil {
		m = &Message{}
		q.made[len(q.made)-1] = m
	}
	*m = Message{actions: m.actions[:0], known: &q.digests}
	return m
}

// copyOf is the same message on its way to another worker.
func (m *Message) copyOf() *Message {
	c := *m
	c.actions = slices.Clone(m.actions)
	c.worker, c.fails, c.waits, c.settled = 0, 0, 0, false
	c.due, c.waiting, c.over = 0, false, nil
	return &c
}

// apply lets one deliver line shape the message.
func (m *Message) apply(s *harness.Schedule, f *harness.Fault) error {
	switch f.Name {
	case "new-trigger":
		m.trigger += "-again"
		return nil
	case "answer":
		m.answer = f.Word
	case "recover":
		m.recover = true
	}
	if m.recover {
		// It is handed nothing that could be said otherwise.
		return nil
	}
	for i := range m.actions {
		a := &m.actions[i]
		if f.Where.Action != "" && f.Where.Action != a.Name {
			continue
		}
		if err := a.apply(s, f); err != nil {
			return fmt.Errorf("fault %q: %w", f, err)
		}
	}
	return nil
}

func (a *handed) apply(s *harness.Schedule, f *harness.Fault) (err error) {
	a.digests = nil
	switch f.Name {
	case "respell":
		a.respell = true
	case "equivalent":
		if a.spelled = len(a.Spelled) > 0; !a.spelled {
			return fmt.Errorf("action %s says no other spelling of its arguments", a.Name)
		}
	case "change":
		a.Arguments, err = a.changed(f)
		a.covered, a.spelled = false, false
	case "re-approve":
		if f.Pointer != "" {
			a.Arguments, err = a.changed(f)
		}
		if of, ok := a.planned(s); ok && !a.covered {
			a.Approval = of.Approval
		}
		a.Approval.ID += "-again"
		a.Approval.ArgumentsSHA256 = a.Arguments.Digest()
		a.covered = true
	case "new-action":
		a.as, a.Name = a.Name, a.Name+"'"
		a.ID = another(a.ID)
		a.Approval.ID = another(a.Approval.ID)
	case "answer":
		a.answered(s, f.Word)
	case "approval":
		a.covered = false
		switch f.Word {
		case "none":
			a.Approval = harness.Approval{Status: harness.NoGrant}
		case "denied":
			a.Approval.Status = harness.Denied
		case "stale":
			a.Approval.PolicyVersion += "-old"
		case "spent":
			a.Approval.ID, a.Approval.SingleUse = s.Actions[0].Approval.ID, true
		case "of":
			b, _ := s.Action(f.Of)
			a.Approval = b.Approval
		}
	}
	return err
}

// planned is the schedule's action, also of one that was minted twice.
func (a *handed) planned(s *harness.Schedule) (harness.Action, bool) {
	return s.Action(cmp.Or(a.as, a.Name))
}

// The answers that decide on an approval that was missing.
const (
	answerYes = "yes"
	answerNo  = "no"
)

// answered lets a person's answer bring the approval that was missing, or deny it.
// Any other word is an answer to something else.
func (a *handed) answered(s *harness.Schedule, word string) {
	of, ok := a.planned(s)
	if a.Approval.Status != harness.NoGrant || !ok {
		return
	}
	switch word {
	case answerYes:
		a.Approval = of.Approval
		a.covered = of.Approval.Status == harness.Granted && of.Approval.ArgumentsSHA256 == a.Arguments.Digest()
	case answerNo:
		a.Approval = of.Approval
		a.Approval.Status = harness.Denied
	}
}

func (a *handed) changed(f *harness.Fault) (harness.Arguments, error) {
	if f.Pointer != "" {
		return a.Arguments.Set(f.Pointer, f.Value)
	}
	if len(a.Changed) == 0 {
		return nil, fmt.Errorf("action %s does not say what changed means (drill.yaml, action.changed)", a.Name)
	}
	return a.Arguments.Change(a.Changed)
}

// another is an ID of the same form, made from the first one.
func another(id string) string {
	sum := harness.Digest([]byte("another " + id))[7:]
	out := []byte(id)
	for i, j := 0, 0; i < len(out) && j < len(sum); i++ {
		if c := out[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			out[i] = sum[j]
			j++
		}
	}
	if string(out) == id {
		return id + "-another"
	}
	return string(out)
}

// Brings is how many actions a worker is handed.
func (m *Message) Brings() int {
	if m.event != nil || m.recover {
		return 0
	}
	return len(m.actions)
}

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
