package deliver

import (
	"slices"
	"sync"
)

// Rendezvous brings workers that got one delivery at once to the same place: the
// first operation of each, and then its first mutation, is held until all have
// arrived there or are done. Then one after the other is let go, the next when the
// one before has its answer, or has to wait for it. Without it a race shows in some runs and not in others.
type Rendezvous struct {
	mu      sync.Mutex
	workers []int
	reverse bool
	phases  [2]phase
	ended   map[int]bool
}

// phase is one of the two meeting points.
type phase struct {
	arrived map[int]chan struct{}
	order   []int
	met     bool
}

const (
	firstOp = iota
	firstMutation
)

// NewRendezvous returns one for these workers; reverse lets the last of them go first.
func NewRendezvous(workers []int, reverse bool) *Rendezvous {
	r := &Rendezvous{workers: workers, reverse: reverse, ended: map[int]bool{}}
	for i := range r.phases {
		r.phases[i].arrived = map[int]chan struct{}{}
	}
	return r
}

// Arrive reports at which point a worker's request has to wait, if any; a first
// operation that is a mutation stands for both.
func (r *Rendezvous) Arrive(number int, changes bool) (p int, turn <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.workers, number) || r.ended[number] {
		return 0, nil
	}
	mine := make(chan struct{})
	switch {
	case r.phases[firstOp].arrived[number] == nil:
		p = firstOp
		if changes {
			r.phases[firstMutation].arrived[number] = mine
		}
	case changes && r.phases[firstMutation].arrived[number] == nil:
		p = firstMutation
	default:
		return 0, nil
	}
	r.phases[p].arrived[number] = mine
	r.phases[p].order = append(r.phases[p].order, number)
	r.check()
	return p, mine
}

// Done tells that a worker will not arrive any more.
func (r *Rendezvous) Done(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[number] = true
	r.check()
}

func (r *Rendezvous) check() {
	for i := range r.phases {
		p := &r.phases[i]
		if p.met {
			continue
		}
		here := 0
		for _, n := range r.workers {
			if p.arrived[n] != nil || r.ended[n] {
				here++
			}
		}
		if here < len(r.workers) {
			continue
		}
		p.met = true
		slices.Sort(p.order)
		if r.reverse {
			slices.Reverse(p.order)
		}
		r.next(p)
	}
}

// next lets the next one of a phase go.
func (r *Rendezvous) next(p *phase) {
	if len(p.order) == 0 {
		return
	}
	close(p.arrived[p.order[0]])
	p.order = p.order[1:]
}

// Leave tells that the one whose turn it was at a point has its answer,
// or has to wait for it.
func (r *Rendezvous) Leave(p int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next(&r.phases[p])
}
