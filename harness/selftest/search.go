package selftest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness/search"
)

// Found is what a search came to.
type Found struct {
	// Lines are the smallest schedule, Broken what it breaks; both are empty where
	// nothing was found.
	Lines  []string `json:"lines"`
	Broken []string `json:"broken"`
	Ran    int      `json:"ran"`
	// Why says why nothing was found.
	Why string `json:"why,omitempty"`
	// Took is real time, and no part of the JSON.
	Took time.Duration `json:"-"`
}

// String is the schedule in one line.
func (f Found) String() string {
	switch {
	case len(f.Broken) == 0:
		return ""
	case len(f.Lines) == 0:
		return "no fault at all"
	}
	return strings.Join(f.Lines, "; ")
}

// Search explores until something breaks, or until wanted breaks if that is not
// empty, within a span of real time; 0 is no bound.
func Search(ctx context.Context, o search.Options, wanted string, span time.Duration) (Found, error) {
	out := Found{Lines: []string{}, Broken: []string{}}
	start := time.Now()
	if span > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, span, errSpan)
		defer stop()
	}
	o.First, o.Until = wanted == "", wanted
	r, err := search.Explore(ctx, o)
	out.Took = time.Since(start)
	if err != nil && !errors.Is(err, errSpan) {
		return out, err
	}
	out.Ran = r.Ran
	for _, f := range r.Findings {
		for _, b := range f.Invariants {
			if len(out.Broken) == 0 && (wanted == "" || b == wanted) {
				out.Lines, out.Broken = f.Lines(), f.Invariants
			}
		}
	}
	switch {
	case len(out.Broken) > 0:
	case err != nil:
		out.Why = fmt.Sprintf("nothing in %s and %d schedules", span, r.Ran)
	default:
		out.Why = fmt.Sprintf("nothing in all %d schedules of at most %d faults", r.Ran, o.Depth)
	}
	return out, nil
}

// errSpan ends a search whose time is over.
var errSpan = errors.New("the time of the search is over")
