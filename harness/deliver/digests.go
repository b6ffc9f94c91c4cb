package deliver

import (
	"reflect"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/internal/reuse"
)

// digests remembers the digests of arguments: a trial hands over the same ones again
// and again, and so do the trials of a search. A nil one remembers nothing.
type digests struct {
	namer harness.Namer
	known []*digested
	// handed are those of the trial's jobs; trial counts the trials in which that may be
	// what was handed out in the one before.
	handed reuse.Rows[worker.JobAction]
	trial  int
}

// digested are arguments, in a copy of its own, with their digests.
type digested struct {
	args   harness.Arguments
	listed harness.Listed
	digest string
	// read: wire and wires are the namer's.
	read  bool
	wire  string
	wires map[string]string
	// lent is what a worker was handed in a trial, a copy of its own.
	lent  harness.Arguments
	trial int
}

// maxDigests is how many are remembered.
const maxDigests = 16

// begin begins another trial. again: what was handed out before may be so once more.
func (d *digests) begin(again bool) {
	d.trial++
	if again {
		d.handed.Reset()
		return
	}
	d.handed = reuse.Rows[worker.JobAction]{}
	for _, k := range d.known {
		k.lent = nil
	}
}

// jobs is the room for what a worker is handed of n actions.
func (d *digests) jobs(n int) []worker.JobAction {
	if d == nil {
		return make([]worker.JobAction, n)
	}
	return d.handed.Take(n)
}

// lend returns a copy of arguments for a worker, which may do with it what it likes: once
// a trial the same one, if it is still as it was.
func (d *digests) lend(k *digested) harness.Arguments {
	if d == nil || k.trial == d.trial {
		return k.args.Clone()
	}
	k.trial = d.trial
	if k.lent == nil || !k.listed.Are(k.lent) {
		k.lent = k.args.Clone()
	}
	return k.lent
}

// of returns the digests of arguments, those that the namer reads left out.
func (d *digests) of(a harness.Arguments) *digested {
	if d == nil {
		return &digested{args: a, digest: a.Digest()}
	}
	for _, k := range d.known {
		if k.listed.Are(a) {
			return k
		}
	}
	if len(d.known) == maxDigests {
		d.known = d.known[:0]
	}
	k := &digested{args: a.Clone(), digest: a.Digest()}
	k.listed = k.args.Listed()
	d.known = append(d.known, k)
	return k
}

// readBy adds what the namer reads to the digests of arguments.
func (d *digests) readBy(n harness.Namer, k *digested) *digested {
	if d != nil && !same(d.namer, n) {
		for _, k := range d.known {
			k.read = false
		}
		d.namer = n
	}
	if !k.read {
		k.read, k.wire, k.wires = true, n.Digest(k.args), n.Digests(k.args)
	}
	return k
}

func same(a, b harness.Namer) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && (a == nil || reflect.TypeOf(a).Comparable() && a == b)
}
