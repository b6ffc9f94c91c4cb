package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// tape writes a history by hand: each call appends what a trial would record.
type tape struct {
	*harness.History
	worker, life, delivery, conn int
	warm                         bool
	now                          harness.Duration
	held                         []harness.DeliveredAction
	counts                       map[string]int
	requests                     map[int]harness.Event
}

// kept promises what Stripe's v1 API does: a kept key and a look-up with a reference.
func kept() harness.Promises {
	return harness.Promises{
		Profile: "test",
		Key: harness.KeyPromise{Kept: true, Retention: harness.Duration(24 * time.Hour), Scope: "account", Same: "replay", Other: "refuse",
			StoresErrors: true, InFlight: 409, InFlightCode: "in_use", OtherCode: "key_error"},
		Lookup:    harness.FindPromise{By: []string{"business_key", "id"}, Authoritative: true},
		Reference: "metadata[action_id]",
		Errors: []harness.ErrorClass{{Status: 409, Code: "in_use", Class: harness.Unknown}, {Status: 400, Class: harness.RejectedPermanent},
			{Status: 402, Class: harness.RejectedPermanent}, {Status: 409, Class: harness.RejectedPermanent},
			{Status: 422, Class: harness.RejectedPermanent}, {Status: 429, Class: harness.RejectedTransient}},
	}
}

// blind promises neither key nor look-up.
func blind() harness.Promises {
	p := kept()
	p.Key, p.Lookup, p.Reference = harness.KeyPromise{}, harness.FindPromise{}, ""
	return p
}

// findOnly promises a look-up without key and reference.
func findOnly() harness.Promises {
	p := kept()
	p.Key, p.Reference = harness.KeyPromise{}, ""
	return p
}

func newTape(p harness.Promises, faults ...string) *tape {
	t := &tape{History: &harness.History{Version: harness.HistoryVersion, Promises: p}, worker: 1, life: 1, counts: map[string]int{},
		requests: map[int]harness.Event{}, conn: 1}
	t.Schedule.Limits = harness.DefaultLimits()
	t.Schedule.Version = harness.ScheduleVersion
	for _, s := range faults {
		f, err := harness.ParseFault(s)
		if err != nil {
			panic(err)
		}
		t.Schedule.Faults = append(t.Schedule.Faults, f)
	}
	return t
}

func (t *tape) add(e harness.Event) int {
	t.now += harness.Duration(time.Millisecond)
	e.Seq, e.At = len(t.Events)+1, t.now
	if e.Worker == 0 && e.Kind != harness.EvEffect {
		e.Worker, e.Incarnation, e.Delivery = t.worker, t.life, t.delivery
	}
	t.Events = append(t.Events, e)
	return e.Seq
}

func (t *tape) wait(d time.Duration) { t.now += harness.Duration(d) }

type set func(*harness.DeliveredAction)

// act is an action as handed over: ID id-A, approved arguments.
func act(name string, sets ...set) harness.DeliveredAction {
	a := harness.DeliveredAction{Name: name, ID: "id-" + name, BusinessKey: "ch_1", Digest: "sha256:d", Wire: "w", Covered: true,
		Approval: harness.Approval{ID: "ap-" + name, ArgumentsSHA256: "sha256:d", Status: harness.Granted}}
	for _, s := range sets {
		s(&a)
	}
	return a
}

func changed(a *harness.DeliveredAction) { a.Digest, a.Wire, a.Covered = "sha256:e", "w2", false }
func reapproved(a *harness.DeliveredAction) {
	a.Approval.ID += "-again"
}
func denied(a *harness.DeliveredAction) { a.Approval.Status, a.Covered = harness.Denied, false }
func twin(a *harness.DeliveredAction)   { a.As, a.ID = "A", "id-twin" }
func (t *tape) at(worker, life, n int)  { t.worker, t.life, t.delivery = worker, life, n }
func (t *tape) fired(line string)       { t.add(harness.Event{Kind: harness.EvFault, Fault: line}) }
func (t *tape) deliver(trigger string, actions ...harness.DeliveredAction) {
	t.delivery++
	t.deliverAs(trigger, actions...)
}

func (t *tape) deliverAs(trigger string, actions ...harness.DeliveredAction) {
	t.held = actions
	t.add(harness.Event{Kind: harness.EvDeliver, Deliver: &harness.Delivered{TriggerKey: trigger, Actions: actions}})
}

// die ends the life; the next one begins with the next delivery.
func (t *tape) die() {
	t.add(harness.Event{Kind: harness.EvEnd, Note: "signal SIGKILL"})
	t.add(harness.Event{Kind: harness.EvNack, Note: "failed: signal SIGKILL"})
	t.life++
}

type opt func(*harness.Event)

func key(k string) opt              { return func(e *harness.Event) { e.Key = k } }
func args(w string) opt             { return func(e *harness.Event) { e.Arguments = w } }
func of(name string) opt            { return func(e *harness.Event) { e.Action = name } }
func op(name string) opt            { return func(e *harness.Event) { e.Op = name } }
func on(conn int, warm bool) opt    { return func(e *harness.Event) { e.Conn, e.Warm = conn, warm } }
func code(c string) opt             { return func(e *harness.Event) { e.Code = c } }
func res(r string) opt              { return func(e *harness.Event) { e.Resource = r } }
func replayed(e *harness.Event)     { e.Replayed = true }
func more(e *harness.Event)         { e.More = true }
func found(f ...harness.Found) opt  { return func(e *harness.Event) { e.Found = f } }
func after(d time.Duration) opt     { return func(e *harness.Event) { e.RetryAfter = harness.Duration(d) } }
func tornBody(e *harness.Event)     { e.Key, e.Arguments, e.Note = "", "", tornInBody }
func unattributed(e *harness.Event) { e.Action, e.Rule = "", 4 }
func (t *tape) create(o ...opt) int { return t.send("create", true, o...) }
func (t *tape) find(o ...opt) int   { return t.send("find", false, o...) }
func obj(r, ref string) harness.Found {
	return harness.Found{Resource: r, Reference: ref, Arguments: "w"}
}

func (t *tape) send(name string, changes bool, o ...opt) int {
	e := harness.Event{Kind: harness.EvRequest, Op: name, Changes: changes, Method: "POST", Path: "/" + name, Rule: 1, Conn: t.conn, Warm: t.warm,
		Attempt: len(t.requests) + 1}
	if len(t.held) == 1 {
		e.Action = t.held[0].Name
	}
	if changes {
		e.Arguments, e.Body = "w", "body"
	} else {
		e.Method = "GET"
	}
	for _, f := range o {
		f(&e)
	}
	t.counts[e.Op]++
	e.N = t.counts[e.Op]
	t.add(e)
	t.requests[e.Attempt] = t.Events[len(t.Events)-1]
	return e.Attempt
}

func (t *tape) answer(kind harness.EventKind, n, status int, o ...opt) {
	r := t.requests[n]
	e := harness.Event{Kind: kind, Worker: r.Worker, Incarnation: r.Incarnation, Delivery: r.Delivery, Action: r.Action, Attempt: n,
		Op: r.Op, N: r.N, Changes: r.Changes, Status: status, Own: kind == harness.EvAnswer}
	for _, f := range o {
		f(&e)
	}
	if e.Class == "" && kind != harness.EvLost {
		e.Class = t.Promises.Classify(status, e.Code)
	}
	t.add(e)
}

// pass: the target answers, and the answer leaves for the worker.
func (t *tape) pass(n, status int, o ...opt) {
	t.answer(harness.EvAnswer, n, status, o...)
	t.answer(harness.EvPassed, n, status, o...)
}

// stand: something stands in the place of the target's answer.
func (t *tape) stand(n, status int, o ...opt) { t.answer(harness.EvPassed, n, status, o...) }

func (t *tape) lose(n int, fault string) {
	t.answer(harness.EvLost, n, 0, func(e *harness.Event) { e.Fault = fault })
	t.fired(fault)
}

// effect: the target commits.
func (t *tape) effect(n int, resource string, o ...func(*harness.Effect)) {
	r := t.requests[n]
	x := &harness.Effect{Seq: 1, Resource: resource, Op: r.Op, Kind: harness.Do, BusinessKey: "ch_1", Key: r.Key, Arguments: r.Arguments, Attempt: n}
	if r.Action != "" && t.Promises.Reference != "" {
		for _, a := range t.held {
			if a.Name == r.Action {
				x.Reference = a.ID
			}
		}
	}
	for _, f := range o {
		f(x)
	}
	t.add(harness.Event{Kind: harness.EvEffect, Worker: r.Worker, Incarnation: r.Incarnation, Delivery: r.Delivery, Action: r.Action, Rule: r.Rule,
		Attempt: n, Effect: x})
}

func (t *tape) stranger(resource, reference string) {
	t.add(harness.Event{Kind: harness.EvEffect, Effect: &harness.Effect{Resource: resource, Kind: harness.Do, BusinessKey: "ch_1",
		Reference: reference, Arguments: "w", Foreign: true}})
}

// does is a create that is committed and answered.
func (t *tape) does(resource string, o ...opt) int {
	n := t.create(o...)
	t.effect(n, resource)
	t.pass(n, 201, res(resource))
	return n
}

func (t *tape) heard(note string, sends int) {
	t.add(harness.Event{Kind: harness.EvHeard, Note: note, Sends: sends})
}

func (t *tape) says(r harness.Report) {
	name := ""
	for _, a := range t.held {
		if a.ID == r.ActionID || r.ActionID == "" && len(t.held) == 1 {
			name, r.ActionID = a.Name, a.ID
		}
	}
	t.add(harness.Event{Kind: harness.EvReport, Action: name, Report: &r})
}

func (t *tape) end(note, nack string) {
	t.add(harness.Event{Kind: harness.EvEnd, Note: note})
	if nack == "" {
		t.add(harness.Event{Kind: harness.EvAck})
	} else {
		t.add(harness.Event{Kind: harness.EvNack, Note: nack})
	}
	t.life++
}

func (t *tape) done(resource string) {
	t.says(harness.Report{Outcome: harness.Done, Resource: resource})
	t.end("exit 0", "")
}

func (t *tape) rejected(class string) {
	t.says(harness.Report{Outcome: harness.Rejected, ErrorClass: class})
	t.end("exit 0", "")
}

func (t *tape) review() {
	t.says(harness.Report{Outcome: harness.NeedsReview})
	t.end("exit 0", "needs review")
}

// verdict of one test case about one invariant.
type verdict int

const (
	convicted verdict = iota
	cleared
	unchecked
)

// one is a hand-built history and what one invariant says about it.
type one struct {
	name string
	want verdict
	tape func() *tape
}

func try(t *testing.T, id string, cases []one) {
	t.Helper()
	inv, ok := Find(id)
	require.True(t, ok)
	seen := map[verdict]int{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := c.tape().History
			f := inv.Check(NewView(h))
			switch c.want {
			case convicted:
				require.NotEmpty(t, f.Violations)
				for _, v := range f.Violations {
					require.Equal(t, id, v.Invariant)
					require.NotEmpty(t, v.Expected)
					require.NotEmpty(t, v.Observed)
					require.NotEmpty(t, v.Events)
					require.NotEqual(t, v.Expected, v.Observed)
				}
				require.Equal(t, harness.Unsafe, Judge(h).Verdict)
			case cleared:
				require.Empty(t, f.Violations)
				require.Positive(t, f.Inspected)
			case unchecked:
				require.Empty(t, f.Violations)
				require.Zero(t, f.Inspected)
				require.Contains(t, Judge(h).NotChecked(), id)
			}
		})
		seen[c.want]++
	}
	require.Positive(t, seen[convicted])
	require.Positive(t, seen[cleared])
}
