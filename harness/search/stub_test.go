package search_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
)

// world plays one executor against one target, by hand: a delivery asks for one
// effect, an answer that is lost is followed by what the executor does then. It
// carries out what the tests need and leaves the rest unfired.
type world struct {
	// careful looks the effect up after a lost answer; otherwise the create is sent
	// again.
	careful bool
	// forgets: a look-up whose answer is lost is filed as a failure.
	forgets bool
	// varies and moody say of which runs, from 1, the requests carry another body, or
	// something is looked up before all else; nil of none.
	varies, moody func(run int64) bool
	// slow says in which runs the machine is slow, with deadlines below times the usual
	// ones; longest is how long the client's were at most.
	slow    func(run int64) bool
	times   harness.Duration
	longest atomic.Int64
	runs    atomic.Int64
}

func (w *world) Close() error { return nil }

func promises() harness.Promises {
	return harness.Promises{Profile: "test", Lookup: harness.FindPromise{By: []string{"reference"}, Authoritative: true}, Reference: "ref",
		Errors: []harness.ErrorClass{{Status: 422, Class: harness.RejectedPermanent}}}
}

func base() harness.Schedule {
	args := harness.Arguments{"amount": int64(1)}
	a := harness.Action{Name: "A", ID: "action-a", TriggerKey: "t", BusinessKey: "b", Effect: "refund", Arguments: args,
		Approval: harness.Approval{ID: "p", ArgumentsSHA256: args.Digest(), PolicyVersion: "1", Status: harness.Granted}}
	return harness.Schedule{Version: harness.ScheduleVersion, Seed: 1, World: "stub", Executor: harness.Executor{Kind: "builtin", Name: "stub"},
		Profile: "test", Actions: []harness.Action{a}, Limits: harness.DefaultLimits()}
}

func (w *world) Run(_ context.Context, s harness.Schedule) (*harness.History, error) {
	p := play{w: w, h: &harness.History{Version: harness.HistoryVersion, Schedule: s, Promises: promises()}, counts: map[string]int{}}
	n := w.runs.Add(1)
	p.again = w.varies != nil && w.varies(n)
	p.looks = w.moody != nil && w.moody(n)
	deadline := s.Limits.ClientDeadline
	for was := w.longest.Load(); int64(deadline) > was && !w.longest.CompareAndSwap(was, int64(deadline)); was = w.longest.Load() {
	}
	if w.slow != nil && w.slow(n) && deadline < w.times*harness.DefaultLimits().ClientDeadline {
		p.add(harness.Event{Kind: harness.EvSlow, Late: deadline, Note: "a processor"})
		p.looks = true
	}
	p.run()
	return p.h, nil
}

type play struct {
	w        *world
	h        *harness.History
	counts   map[string]int
	attempts int
	effects  []string
	// again: the request carries another body than the last time.
	again bool
	// looks: the executor looks something up before all else.
	looks    bool
	delivery int
}

func (p *play) add(e harness.Event) harness.Event {
	e.Seq, e.At = len(p.h.Events)+1, harness.Duration(len(p.h.Events)+1)*1e6
	if e.Kind != harness.EvFault {
		e.Worker, e.Incarnation, e.Delivery, e.Action = 1, 1, p.delivery, "A"
	}
	p.h.Events = append(p.h.Events, e)
	return e
}

// line is the scheduled line that strikes the crossing, if one does.
func (p *play) line(w harness.Where) *harness.Fault {
	for i, f := range p.h.Schedule.Faults {
		if f.Where.Point == w.Point && f.Where.Side == w.Side && f.Where.Counts(w.From) {
			return &p.h.Schedule.Faults[i]
		}
	}
	return nil
}

func (p *play) run() {
	a := p.h.Schedule.Actions[0]
	for p.delivery = 1; p.delivery <= p.h.Schedule.Deliveries(); p.delivery++ {
		d := &harness.Delivered{TriggerKey: a.TriggerKey, Actions: []harness.DeliveredAction{{Name: "A", ID: a.ID, BusinessKey: a.BusinessKey,
			Digest: a.Arguments.Digest(), Wire: "args", Approval: a.Approval, Covered: true}}}
		f := p.line(harness.Where{Point: harness.Deliver, From: p.delivery})
		if f != nil {
			d.How = []string{f.String()}
		}
		p.add(harness.Event{Kind: harness.EvDeliver, Deliver: d})
		if f != nil {
			p.add(harness.Event{Kind: harness.EvFault, Fault: f.String()})
		}
		p.report(p.act(a))
	}
}

func (p *play) report(outcome harness.Outcome, resource string) {
	class := string(harness.Confirmed)
	if outcome == harness.Rejected {
		class = string(harness.RejectedPermanent)
	}
	p.add(harness.Event{Kind: harness.EvReport, Report: &harness.Report{ActionID: "action-a", Outcome: outcome, Resource: resource, ErrorClass: class}})
	p.add(harness.Event{Kind: harness.EvEnd, Note: "returned"})
	p.add(harness.Event{Kind: harness.EvAck})
}

// act is the executor: it knows what it did, creates, and after a lost answer looks
// or sends again.
func (p *play) act(a harness.Action) (harness.Outcome, string) {
	if p.delivery > 1 && len(p.effects) > 0 {
		return harness.Done, p.effects[0]
	}
	if p.looks {
		p.send("find", false)
	}
	for try := range 4 {
		if try > 0 && p.w.careful {
			switch heard := p.send("find", false); {
			case !heard && p.w.forgets:
				return harness.Rejected, ""
			case !heard:
				continue
			case len(p.effects) > 0:
				return harness.Done, p.effects[0]
			}
		}
		if p.send("create", true) {
			return harness.Done, p.effects[len(p.effects)-1]
		}
	}
	return harness.NeedsReview, ""
}

// send is one request; it reports whether its answer arrived.
func (p *play) send(op string, changes bool) bool {
	p.attempts++
	p.counts[op]++
	n := p.counts[op]
	e := harness.Event{Attempt: p.attempts, Op: op, N: n, Changes: changes, Rule: 1, BusinessKey: "b", Reference: "action-a", Conn: p.attempts}
	if changes {
		e.Arguments = "args"
	}
	if e.Body = "body"; p.again {
		e.Body = "another body"
	}
	r := e
	r.Kind = harness.EvRequest
	p.add(r)
	lost := func(side harness.Side) bool {
		f := p.line(harness.Where{Point: op, From: n, Side: side})
		if f == nil || f.Name != "close" {
			return false
		}
		l := e
		l.Kind, l.Fault = harness.EvLost, f.String()
		p.add(l)
		p.add(harness.Event{Kind: harness.EvFault, Fault: f.String(), Attempt: e.Attempt})
		return true
	}
	if lost(harness.Request) {
		return false
	}
	if changes {
		p.effects = append(p.effects, fmt.Sprintf("r%d", len(p.effects)+1))
		x := harness.Effect{Seq: len(p.effects), Resource: p.effects[len(p.effects)-1], Op: op, Kind: harness.Do, BusinessKey: "b", Reference: "action-a",
			Arguments: "args", Attempt: e.Attempt}
		c := e
		c.Kind, c.Effect = harness.EvEffect, &x
		p.add(c)
	}
	ans := e
	ans.Kind, ans.Status, ans.Class, ans.Own = harness.EvAnswer, 200, harness.Confirmed, true
	if changes {
		ans.Resource = p.effects[len(p.effects)-1]
	} else {
		for _, r := range p.effects {
			ans.Found = append(ans.Found, harness.Found{Resource: r, Reference: "action-a", Arguments: "args"})
		}
	}
	p.add(ans)
	if lost(harness.Response) {
		return false
	}
	ans.Kind = harness.EvPassed
	p.add(ans)
	return true
}
