package search

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// view is what the executor can tell of a fault: two faults of one view at one place
// that went on alike are one state of the search. A kill leaves nobody to tell.
func view(f harness.Fault) string {
	switch f.Name {
	case "status", "reject", "fail":
		return "status " + strconv.Itoa(f.N) + " " + f.Code
	case "html":
		return "status 502 html"
	}
	return f.String()
}

// lines are the schedule's lines as they are written.
func lines(n node) string { return strings.Join(texts(slices.Concat(n.root.lines, n.faults)), "; ") }

func hashOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		_, _ = h.Write([]byte(w))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
