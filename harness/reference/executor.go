package reference

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

// executor is one incarnation, and after that the room for another.
type executor struct {
	*outfit
	target target
	store  receipt.InPlace
	env    worker.Env

	// client is what it acts on its target with, edge is what stands at its store's
	// writes, handed is a delivery with the room for it, and caller is who hands it over.
	client targets.Client
	edge   bounded
	handed life
	room   room
	caller caller
	// at counts the deliveries at work. One that panicked stays.
	at atomic.Int32
	// work and close are run and end, as a world calls them.
	work  worker.Func
	close func() error
}

// defaultLease is the lease where the surroundings declare none.
const defaultLease = 30 * time.Second

// executors are those that are over: a search begins one in each of its trials.
var executors = sync.Pool{New: func() any { return &executor{} }}

// With builds executors that follow rules and keep receipts where open says. Nobody may
// call what New of [worker.New] returned once it is closed.
func With(rules Rules, open OpenStore) worker.New {
	m := &outfits{rules: rules}
	return func(env worker.Env) (worker.Func, func() error, error) {
		x := executors.Get().(*executor)
		if err := x.begin(m, open, &env); err != nil {
			return nil, nil, err
		}
		if x.work == nil {
			x.work = func(ctx context.Context, _ worker.Env, job worker.Job, report func(harness.Report)) error {
				return x.run(ctx, job, report)
			}
			x.close = x.end
		}
		return x.work, x.close, nil
	}
}

// newExecutor is one that is not used again.
func newExecutor(m *outfits, open OpenStore, env worker.Env) (*executor, error) {
	x := &executor{}
	if err := x.begin(m, open, &env); err != nil {
		return nil, err
	}
	return x, nil
}

// begin makes it an incarnation in those surroundings.
func (x *executor) begin(m *outfits, open OpenStore, env *worker.Env) error {
	o, err := m.of(env)
	if err != nil {
		return err
	}
	x.env = *env
	store, err := open(&x.env)
	if err != nil {
		return err
	}
	x.client.Reset(o.read, env.TargetURL, env.Token, env.Client())
	x.outfit, x.target, x.store = o, &x.client, receipt.Placed(store)
	if env.Log == nil {
		x.env.Log = slog.New(slog.DiscardHandler)
	}
	if env.Lease <= 0 {
		x.env.Lease = defaultLease
	}
	if env.Records != nil {
		x.store = x.edge.around(x.store, env.Records)
	}
	return nil
}

// end closes the receipts, and gives the executor back unless it is still at work.
func (x *executor) end() error {
	err := x.store.Close()
	if x.at.Load() == 0 && x.edge.idle() {
		x.outfit, x.target, x.store, x.env = nil, nil, nil, worker.Env{}
		x.edge.around(nil, nil)
		x.caller.Context = context.Background()
		executors.Put(x)
	}
	return err
}
