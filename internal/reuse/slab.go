// Package reuse keeps the memory of one trial for the next. A search runs many thousands
// of trials that need the same few things: what is made for the first one serves all of
// them. Nothing here is safe for concurrent use.
package reuse

// Slab hands out values, and after Reset the same ones again, as they were left: who
// gets one clears it. A value stays where it is while others come. Its zero value is
// empty.
type Slab[T any] struct {
	chunks []*[perChunk]T
	used   int
}

// perChunk is how many values are made at once.
const perChunk = 16

// Next returns the next value.
func (s *Slab[T]) Next() *T {
	i := s.used
	if s.used++; uint(i)/perChunk == uint(len(s.chunks)) {
		s.chunks = append(s.chunks, new([perChunk]T))
	}
	return s.At(i)
}

// At returns the i-th value that was handed out, from 0.
func (s *Slab[T]) At(i int) *T { return &s.chunks[uint(i)/perChunk][uint(i)%perChunk] }

// Len returns how many were handed out.
func (s *Slab[T]) Len() int { return s.used }

// Reset has the values handed out again. Nobody may read the earlier ones any more.
func (s *Slab[T]) Reset() { s.used = 0 }
