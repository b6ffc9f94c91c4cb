package search

import (
	"cmp"
	"hash/fnv"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// next are the schedules of the next level: those with one fault more than what ran,
// and at the first level the targets that are not the plain one. Those come first that
// strike an operation which the run without a fault never came to: a fault led there,
// and what is seldom run is seldom right.
func (e *explorer) next(ran []node, depth int) []node {
	var out []node
	for _, n := range ran {
		out = append(out, e.children(n, depth)...)
	}
	if depth == 0 {
		out = append(out, e.conditions()...)
	}
	slices.SortStableFunc(out, func(a, b node) int { return cmp.Compare(a.at[0], b.at[0]) })
	return out
}

// children are the schedules with one fault more, behind the last.
func (e *explorer) children(n node, depth int) []node {
	first := depth == 0
	switch {
	case !first && !n.run.fired:
		// A pair of which the second stays unfired is the single.
		e.out.Unfired++
		return nil
	case n.run.late:
		if !first || e.Shard < 2 {
			e.out.pruned(tooLate, 1)
		}
		return nil
	case n.run.judged.Verdict == harness.Unsafe && !e.All:
		if !first || e.Shard < 2 {
			e.out.pruned(broken, 1)
		}
		return nil
	}
	onward := n.run.onward
	if len(n.faults) > 0 {
		if w, ok := e.space.beside(n.faults[len(n.faults)-1]); ok {
			onward = append([]boundary{{where: w}}, onward...)
		}
	}
	var out []node
	index := 0
	for _, b := range onward {
		if slices.ContainsFunc(n.before, func(o boundary) bool { return o.where == b.where }) {
			continue
		}
		if e.Near && !first && e.near(b) > 0 {
			continue
		}
		own := !first || e.mine(n.root.String(), b.where.String())
		for _, f := range e.space.at(b) {
			index++
			if !own {
				e.out.Elsewhere++
				continue
			}
			child := node{root: n.root, faults: append(slices.Clone(n.faults), f), before: beforeOf(n, f)}
			child.at = append(append([]int{e.near(b)}, n.at...), index)
			if e.tried(n, b, child) {
				out = append(out, child)
			}
		}
	}
	return out
}

// tried reports whether a schedule is run, and counts why not.
func (e *explorer) tried(n node, b boundary, child node) bool {
	f := child.faults[len(child.faults)-1]
	apart := Apart(e.Promises, e.schedule(n), f)
	switch {
	case e.Carries != nil && !e.Carries(f):
		e.out.left(f.Kind().Key(), uncarried)
	case e.Refuses != nil && e.Refuses(f) != "":
		e.out.left(f.Kind().Key(), e.Refuses(f))
	case apart != "":
		e.out.pruned(apart, 1)
	case !e.valid(child):
		e.out.pruned(clash, 1)
	default:
		like, why := e.like(n, b, f)
		if why == "" {
			return true
		}
		if e.Twin != nil && why != unheard {
			e.Twin(e.schedule(child), e.schedule(like))
		}
		if !e.All {
			e.out.pruned(why, 1)
		}
		return e.All
	}
	return false
}

// like is a schedule that is run anyway and that can not end otherwise than the one
// with this fault, with the reason, or nothing.
func (e *explorer) like(n node, b boundary, f harness.Fault) (other node, why string) {
	if b.unheard {
		return n, unheard
	}
	// With several workers another one may be let go in between, and what is lost at the
	// next start is a matter of which start that is.
	g, why := twin(b, f)
	if why == "" || len(n.root.lines) > 0 || slices.ContainsFunc(n.faults, func(o harness.Fault) bool { return o.Where.Point == harness.Record || crowds(o) }) {
		return n, ""
	}
	other = node{root: n.root, faults: append(slices.Clone(n.faults), g)}
	if !e.valid(other) {
		return n, ""
	}
	return other, why
}

// near is 0 for an operation that the run without a fault never comes to.
func (e *explorer) near(b boundary) int {
	if b.where.IsOperation() && !slices.Contains(e.usual, b.where.Point) {
		return 0
	}
	return 1
}

// mine reports whether a part of the space is of this shard: all that begins with one
// place of one root, so that no part needs to know of another.
func (e *explorer) mine(words ...string) bool {
	return e.Shards < 2 || int(hashOf(words...)%uint64(e.Shards)) == e.Shard-1
}

// twin is a fault that is tried and that can not end otherwise than this one, with the
// reason, or nothing.
func twin(b boundary, f harness.Fault) (like harness.Fault, why string) {
	like = f
	switch {
	case !b.next:
		return like, ""
	case f.Is("record kill-before") && f.Where.From > 1:
		like.Name = "kill-after"
		like.Where.From, like.Where.To = f.Where.From-1, f.Where.To-1
		return like, diedAlike
	case f.Where.Side == harness.Response && !b.changes && (f.Name == "close" || f.Name == "kill"):
		like.Where.Side = harness.Request
		return like, readAlike
	}
	return like, ""
}

// beforeOf are the boundaries at which nothing is put behind the line: what the target
// tells by itself strikes late and stands behind every other line, so that no pair is
// tried in both orders.
func beforeOf(n node, f harness.Fault) []boundary {
	out := n.before
	if f.Where.Point != harness.AtEvent {
		return out
	}
	for _, b := range n.run.onward {
		if b.where.Point != harness.AtEvent || b.where.From <= f.Where.From {
			out = append(slices.Clone(out), b)
		}
	}
	return out
}

func hashOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		_, _ = h.Write([]byte(w))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// valid reports whether a world could carry the node's schedule out.
func (e *explorer) valid(n node) bool {
	s := e.schedule(n)
	return s.Validate() == nil
}
