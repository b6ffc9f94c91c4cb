package harness

import (
	"errors"
	"fmt"
)

// Whole refuses what is not each part of one whole, once: n parts in order, of which
// each tells its number, from 1, and how many there are.
func Whole(n int, part func(int) (i, of int)) error {
	if n == 0 {
		return errors.New("there is nothing to put together")
	}
	_, all := part(0)
	last := 0
	for k := range n {
		switch i, of := part(k); {
		case of < 2:
			return errors.New("what was not split is no part of anything")
		case of != all:
			return fmt.Errorf("one was split into %d parts, another into %d", all, of)
		case i == last:
			return fmt.Errorf("part %d of %d stands there twice", i, of)
		case i != last+1:
			return fmt.Errorf("part %d of %d is missing", last+1, of)
		default:
			last = i
		}
	}
	if last != all {
		return fmt.Errorf("part %d of %d is missing", last+1, all)
	}
	return nil
}
