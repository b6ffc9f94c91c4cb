// Package point is what shake puts before each statement.
package point

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/retrydrill/drill/internal/splitmix"
)

// Variable is the one of the environment that says which places are slow.
const Variable = "DRILL_SHAKE"

// Shake says which places are slow, and how.
type Shake struct {
	// Seed draws them, so many of each thousand.
	Seed        uint64
	PerThousand int
	// Pause is how long one takes, and Times how often before it is as fast as others.
	Pause time.Duration
	Times int
	// Sites is how many places there are. Only are the slow ones where that is not nil,
	// and nothing is drawn.
	Sites int
	Only  []int
}

// String is what the variable holds.
func (s Shake) String() string {
	text := fmt.Sprint(s.Seed, s.PerThousand, s.Pause, s.Times, s.Sites)
	if s.Only != nil {
		text += " only"
	}
	for _, i := range s.Only {
		text += " " + strconv.Itoa(i)
	}
	return text
}

// Slow lists the slow places in order.
func (s Shake) Slow() []int {
	if s.Only != nil {
		return s.Only
	}
	var out []int
	for i := range s.Sites {
		if splitmix.At(s.Seed, uint64(i))%1000 < uint64(s.PerThousand) {
			out = append(out, i)
		}
	}
	return out
}

// Parse reads what [Shake.String] wrote. Where there is nothing, nothing is slow.
func Parse(text string) (s Shake, err error) {
	drawn, only, known := strings.Cut(text, " only")
	if drawn == "" {
		return s, nil
	}
	var pause string
	if _, err = fmt.Sscan(drawn, &s.Seed, &s.PerThousand, &pause, &s.Times, &s.Sites); err == nil {
		s.Pause, err = time.ParseDuration(pause)
	}
	if known {
		s.Only = []int{}
	}
	for _, word := range strings.Fields(only) {
		i, bad := strconv.Atoi(word)
		s.Only, err = append(s.Only, i), errors.Join(err, bad)
	}
	if err != nil {
		return Shake{}, fmt.Errorf("shake: %s is %q: %w", Variable, text, err)
	}
	return s, nil
}

var (
	pause time.Duration
	left  []atomic.Int32
)

func init() {
	s, err := Parse(os.Getenv(Variable))
	if err != nil {
		panic(err)
	}
	pause, left = s.Pause, make([]atomic.Int32, s.Sites)
	for _, i := range s.Slow() {
		if i < len(left) {
			left[i].Store(int32(s.Times))
		}
	}
}

// Here takes its time if the place is slow.
func Here(site int) {
	if site < len(left) && left[site].Load() > 0 && left[site].Add(-1) >= 0 {
		sleep(pause)
	}
}
