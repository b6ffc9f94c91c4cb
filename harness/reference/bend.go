package reference

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// bend is what a mutant does otherwise than the reference: each field stands at one
// of the places where the executor meets its surroundings, and is left out where
// nothing is bent there. The code of the executor itself is not touched.
type bend struct {
	// rules removes rules.
	rules func(*Rules)
	// env changes what the executor is told, or puts a transport between it and the
	// wire; see [through].
	env func(*worker.Env)
	// open keeps the receipts elsewhere than in a file.
	open OpenStore
	// store stands between the executor and its receipts.
	store func(receipt.Store) receipt.Store
	// promises changes what the executor believes of the target.
	promises func(*harness.Promises)
	// send stands around each step that is sent to the target, and sees what came of
	// it. An undo is left as it is.
	send func(x *executor, next sender) sender
	// undo and look stand around an undo and a look-up.
	undo func(x *executor, next undoer) undoer
	look func(x *executor, next looker) looker
	// job changes what was handed over, report what is told of it.
	job    func(x *executor, j worker.Job) worker.Job
	report func(r harness.Report) harness.Report
}

// sender makes one write, by an operation.
type sender func(ctx context.Context, op string, w targets.Write) targets.Outcome

// undoer takes one object back, looker reads what a step made.
type (
	undoer func(ctx context.Context, op, resource string, w targets.Write) targets.Outcome
	looker func(ctx context.Context, step string, w targets.Write) ([]targets.Object, targets.Outcome)
)

// New builds the mutant; it is a [worker.New].
func (b bend) New(env worker.Env) (worker.Func, func() error, error) {
	rules, open := Careful(), b.open
	if b.rules != nil {
		b.rules(&rules)
	}
	if b.env != nil {
		b.env(&env)
	}
	names := &names{handed: map[string]string{}}
	if env.Records != nil {
		env.Records = renamed{env.Records, names}
	}
	if open == nil {
		open = InFile
	}
	x, err := newExecutor(&outfits{rules: rules}, b.keep(open), env)
	if err != nil {
		return nil, nil, err
	}
	if b.promises != nil {
		b.promises(&x.promises)
	}
	x.target = b.around(x)
	return func(ctx context.Context, env worker.Env, j worker.Job, report func(harness.Report)) error {
		return b.run(ctx, x, names, j, report)
	}, x.store.Close, nil
}

// around puts what is bent around the target.
func (b bend) around(x *executor) target {
	t := bentTarget{x.target.Do, x.target.Undo, x.target.Look}
	if b.send != nil {
		t.send = b.send(x, t.send)
	}
	if b.undo != nil {
		t.undo = b.undo(x, t.undo)
	}
	if b.look != nil {
		t.look = b.look(x, t.look)
	}
	return t
}

func (b bend) keep(open OpenStore) OpenStore {
	if b.store == nil {
		return open
	}
	return func(env *worker.Env) (receipt.Store, error) {
		s, err := open(env)
		if err != nil {
			return nil, err
		}
		return b.store(s), nil
	}
}

// run hands the executor its bent job, and tells its reports under the names of the
// actions that were handed over.
func (b bend) run(ctx context.Context, x *executor, names *names, j worker.Job, report func(harness.Report)) error {
	bent := j
	bent.Actions = slices.Clone(j.Actions)
	if b.job != nil {
		bent = b.job(x, bent)
	}
	for i, a := range bent.Actions {
		names.add(a.ActionID, j.Actions[i].ActionID)
	}
	return x.run(ctx, bent, func(r harness.Report) {
		r.ActionID = names.of(r.ActionID)
		if b.report != nil {
			r = b.report(r)
		}
		report(r)
	})
}

// names tells by which name an action was handed over that the mutant gave another.
// One that it derived has a slash and more behind it.
type names struct {
	mu     sync.Mutex
	handed map[string]string
}

func (n *names) add(own, handed string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handed[own] = handed
}

func (n *names) of(own string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := own; ; {
		if handed, ok := n.handed[id]; ok {
			return handed
		}
		cut := strings.LastIndex(id, "/")
		if cut < 0 {
			// Another life may have been handed it.
			return id
		}
		id = id[:cut]
	}
}

// renamed tells the world of writes under the names that it knows.
type renamed struct {
	gate  worker.RecordGate
	names *names
}

// Write is as [worker.RecordGate] says.
func (r renamed) Write(ctx context.Context, w worker.Record, commit func(worker.RecordOrder) worker.RecordEnd) error {
	w.ActionID = r.names.of(w.ActionID)
	return r.gate.Write(ctx, w, commit)
}

// bentTarget does each of these otherwise.
type bentTarget struct {
	send sender
	undo undoer
	look looker
}

// Do is one write.
func (t bentTarget) Do(ctx context.Context, op string, w targets.Write) targets.Outcome {
	return t.send(ctx, op, w)
}

// Undo is one undo.
func (t bentTarget) Undo(ctx context.Context, op, resource string, w targets.Write) targets.Outcome {
	return t.undo(ctx, op, resource, w)
}

// Look is one look-up.
func (t bentTarget) Look(ctx context.Context, step string, w targets.Write) ([]targets.Object, targets.Outcome) {
	return t.look(ctx, step, w)
}

// trip stands around one exchange of the transport below the client.
type trip func(next http.RoundTripper, req *http.Request) (*http.Response, error)

// through puts a layer between the executor's client and the wire, as an adapter, an
// SDK or a retrying transport would stand there.
func through(t trip) func(*worker.Env) {
	return func(env *worker.Env) {
		c := *env.HTTP
		layer := tripper{c.Transport, t}
		c.Transport = layer
		if _, timed := layer.next.(worker.Timed); timed {
			c.Transport = timedTripper{layer}
		}
		env.HTTP = &c
	}
}

type tripper struct {
	next http.RoundTripper
	trip trip
}

// RoundTrip is one exchange as the executor sees it.
func (t tripper) RoundTrip(req *http.Request) (*http.Response, error) { return t.trip(t.next, req) }

// timedTripper is a tripper where the transport below has a clock of its own.
type timedTripper struct{ tripper }

// Within is as [worker.Timed] says: each exchange below the layer is bounded.
func (t timedTripper) Within(d time.Duration) http.RoundTripper {
	return tripper{t.next.(worker.Timed).Within(d), t.trip}
}
