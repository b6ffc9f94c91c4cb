package receipt

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// Ended counts attempts by the class in which they ended, in the order of
// [harness.Classes]. Its JSON is an object of those that are not 0. It is a value, so
// that a receipt that goes on shares nothing with the one before.
type Ended [5]int

// Of returns the count of a class.
func (e Ended) Of(c harness.Class) int {
	if i := slices.Index(harness.Classes, c); i >= 0 {
		return e[i]
	}
	return 0
}

// All is the count of all classes.
func (e Ended) All() (n int) {
	for _, of := range e {
		n += of
	}
	return n
}

// Add counts one more of a class.
func (e *Ended) Add(c harness.Class) {
	if i := slices.Index(harness.Classes, c); i >= 0 {
		e[i]++
	}
}

// MarshalJSON is as [Ended] says.
func (e Ended) MarshalJSON() ([]byte, error) {
	counts := map[harness.Class]int{}
	for i, n := range e {
		if n != 0 {
			counts[harness.Classes[i]] = n
		}
	}
	return json.Marshal(counts)
}

// UnmarshalJSON reads what MarshalJSON wrote; a class that there is not is refused.
func (e *Ended) UnmarshalJSON(b []byte) error {
	var counts map[harness.Class]int
	if err := json.Unmarshal(b, &counts); err != nil {
		return err
	}
	*e = Ended{}
	for c, n := range counts {
		i := slices.Index(harness.Classes, c)
		if i < 0 {
			return fmt.Errorf("attempts ended in %q, expected one of %q", c, harness.Classes)
		}
		e[i] = n
	}
	return nil
}
