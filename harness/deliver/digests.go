package deliver

import (
	"reflect"

	"github.com/retrydrill/drill/harness"
)

// digests remembers the digests of arguments: a trial hands over the same ones again
// and again, and so do the trials of a search. A nil one remembers nothing.
type digests struct {
	namer harness.Namer
	known []*digested
}

// digested are arguments, in a copy of its own, with their digests.
type digested struct {
	args   harness.Arguments
	digest string
	// read: wire and wires are the namer's.
	read  bool
	wire  string
	wires map[string]string
}

// maxDigests is how many are remembered.
const maxDigests = 16

// of returns the digests of arguments, those that the namer reads left out.
func (d *digests) of(a harness.Arguments) *digested {
	if d == nil {
		return &digested{args: a, digest: a.Digest()}
	}
	for _, k := range d.known {
		if k.args.Equal(a) {
			return k
		}
	}
	if len(d.known) == maxDigests {
		d.known = d.known[:0]
	}
	k := &digested{args: a.Clone(), digest: a.Digest()}
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
