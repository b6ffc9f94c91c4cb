package reuse

// Rows hands out values that stand beside each other, and after Reset the same places
// again, as they were left. A value stays where it is while others come. Its zero value
// is empty.
type Rows[T any] struct {
	all  []T
	used int
}

// least is how much room there is at first: short trials have no more of anything.
const least = 4

// Take returns the places of the next n values. Nobody appends into what is another's.
func (r *Rows[T]) Take(n int) []T {
	if r.used+n > len(r.all) {
		r.grow(n)
	}
	r.used += n
	return r.all[r.used-n : r.used : r.used]
}

// Put returns the place of a value, which stands there.
func (r *Rows[T]) Put(x *T) *T {
	if r.used == len(r.all) {
		r.grow(1)
	}
	at := &r.all[r.used]
	*at = *x
	r.used++
	return at
}

// Reset has the places handed out again. Nobody may read the earlier values any more.
func (r *Rows[T]) Reset() { r.used = 0 }

// grow makes room for n more. Those of before stay where they are, with whoever holds them.
func (r *Rows[T]) grow(n int) { r.all, r.used = make([]T, max(least, n, 2*len(r.all))), 0 }
