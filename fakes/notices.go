package fakes

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
)

// teller hands on what the target tells by itself, in the order of the ledger. It
// calls the receiver under no lock, so that a receiver may send requests of its own:
// what those commit is told once the call returned.
type teller struct {
	// silent: the profile tells nothing.
	silent  bool
	mu      lone.Mutex
	tell    func(harness.Notice)
	waiting []harness.Notice
	busy    bool
	told    uint64
}

// queue puts a notice in line. It is called under the fake's lock, which makes the
// line's order that of the ledger.
func (t *teller) queue(n harness.Notice) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tell != nil {
		t.waiting = append(t.waiting, n)
	}
}

// drain tells what is in line, unless another request is at it: that one goes on
// until the line is empty.
func (t *teller) drain() {
	if t.silent {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy {
		return
	}
	t.busy = true
	defer func() { t.busy = false }()
	for len(t.waiting) > 0 {
		n, tell := t.waiting[0], t.tell
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		tell(n)
		t.mu.Lock()
	}
}

// reset forgets what is in line and who hears it.
func (t *teller) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell, t.waiting, t.told = nil, nil, 0
}

// Tell sets who hears what the target tells by itself, and must be set before the
// first request; nothing that was committed before is told. A notice is told at its
// commit, in the ledger's order. With writes at the same time it may be told by the
// goroutine of another one, and so just after its own answer.
func (f *Fake) Tell(tell func(harness.Notice)) {
	f.teller.mu.Lock()
	defer f.teller.mu.Unlock()
	f.teller.tell = tell
}

// announce puts an effect's notice in line, where the profile tells of its operation.
// A request that commits several parts is told of once. It is called under the lock.
func (f *Fake) announce(e harness.Effect) {
	shape, told := f.p.Events.Of[e.Op]
	if !told {
		return
	}
	f.teller.told++
	f.teller.queue(harness.Notice{
		ID:          f.id(shape.IDPrefix, f.teller.told, f.p.Fake.IDLength),
		Type:        shape.Type,
		Op:          e.Op,
		Resource:    e.Resource,
		BusinessKey: e.BusinessKey,
		Reference:   e.Reference,
		Attempt:     e.Attempt,
		Foreign:     e.Foreign,
	})
}
