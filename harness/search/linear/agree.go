package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
)

// same are the invariants that say what the model says: what breaks one of them can
// not be told as an idempotent create.
var same = []string{"one-effect", "same-result"}

// covers are those that a history which the model refuses has to break, one at least.
var covers = []string{"one-effect", "same-result", "true-report", "no-lost-effect", "distinct-intents", "no-bad-undo"}

// Disagrees says where porcupine and the invariants differ about a history, or nothing.
func Disagrees(h *harness.History, j check.Judgement) string {
	broken, ok := Actions(h)
	if !ok {
		return "porcupine did not come to an end"
	}
	ours := func(ids []string) []string {
		var out []string
		for _, v := range j.Violations {
			if slices.Contains(ids, v.Invariant) {
				out = append(out, v.Invariant)
			}
		}
		return out
	}
	switch theirs := strings.Join(broken, ", "); {
	case len(broken) > 0 && len(ours(covers)) == 0:
		return fmt.Sprintf("porcupine: %s can not be told as one create; the invariants find none of %s", theirs, strings.Join(covers, ", "))
	case len(broken) == 0 && len(ours(same)) > 0:
		return fmt.Sprintf("the invariants find %s; porcupine can tell every action as one create", strings.Join(ours(same), ", "))
	}
	return ""
}
