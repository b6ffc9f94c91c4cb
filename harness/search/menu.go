package search

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// dish is one fault that may be tried at a boundary.
type dish struct {
	// key is the word of the vocabulary.
	key string
	// writes: it is tried at operations that change something, and there alone.
	writes bool
	// make fills in the parameters; false means that it makes no sense there.
	make func(f *harness.Fault, s space) bool
}

// space is what a search knows of its target and its actions.
type space struct {
	promises harness.Promises
	schedule harness.Schedule
	// sent: something that changes the target was sent before the place that is struck.
	sent bool
}

// menu lists the words that are tried, in the order in which they are tried: what
// happens most often first. Each word stands for its kind, so that a word whose
// outcome is another's at the same place is left to [NotTried].
var menu = []dish{
	{"response close", false, plain},
	{"response kill", false, plain},
	{"request close", false, plain},
	{"request kill", false, plain},
	{"response reset", true, plain},
	{"response status", false, gatewayStatus},
	{"response delay", true, span(harness.PastDeadline)},
	{"response truncate", true, bytes(1)},
	{"response html", true, plain},
	{"response pause", false, span(harness.PastLease)},
	{"response stop", true, span(harness.PastLease)},
	{"request stop", true, span(harness.PastLease)},
	{"response cancel", true, plain},
	{"request cancel", true, plain},
	{"response kill-after", true, plain},
	{"request status", true, gatewayStatus},
	{"request delay", true, late},
	{"request duplicate", true, harmless},
	{"target reject", true, rejected(harness.RejectedPermanent)},
	{"target reject", true, rejected(harness.RejectedTransient)},
	{"target fail", true, serverError},
	{"target restart", true, forgetful},
	{"report kill", false, plain},
	{"report lose", false, plain},
	{"deliver respell", false, later},
	{"deliver change", false, changed},
	{"deliver equivalent", false, spelled},
	{"deliver new-trigger", false, later},
	{"deliver new-action", false, later},
	{"deliver elsewhere", false, later},
	{"deliver brings", false, another},
	{"deliver approval", false, approval("denied")},
	{"deliver approval", false, approval("none")},
	{"deliver approval", false, approval("stale")},
	{"deliver approval", false, spent},
	{"deliver answer", false, answer("yes")},
	{"deliver answer", false, answer("no")},
	{"deliver re-approve", false, later},
	{"deliver recover", false, later},
	{"deliver down", false, first},
	{"record fail", false, recorded},
	{"record conflict", false, recorded},
	{"record lose", false, forgotten},
	{"record kill-before", false, recorded},
	{"record kill-after", false, plain},
	{"event lose", false, plain},
	{"event early", false, plain},
	{"event late", false, plain},
	{"event twice", false, plain},
	{"event new-id", false, plain},
	{"event foreign", false, plain},
}

// Tried lists the words of the menu, in its order.
func Tried() []string {
	out := make([]string, 0, len(menu))
	for _, d := range menu {
		if !slices.Contains(out, d.key) {
			out = append(out, d.key)
		}
	}
	return out
}

// At lists the faults that are tried at one place of a schedule; changes says that an
// operation changes something.
func At(s harness.Schedule, p harness.Promises, where harness.Where, changes bool) []harness.Fault {
	return space{promises: p, schedule: s}.at(boundary{where: where, changes: changes})
}

func (s space) at(b boundary) []harness.Fault {
	var out []harness.Fault
	s.sent = b.sent
	for i := range menu {
		d, k := &menu[i], &kinds[i]
		if !stands(k, b.where) || d.writes && !b.changes || b.where.Action != "" && d.key != "deliver approval" {
			continue
		}
		if f := (harness.Fault{Where: b.where, Name: k.Name}); d.make(&f, s) {
			out = append(out, f)
		}
	}
	return out
}

// kinds are the menu's words in the vocabulary.
var kinds = func() []harness.FaultKind {
	out := make([]harness.FaultKind, len(menu))
	for i, d := range menu {
		out[i] = harness.Vocabulary[slices.IndexFunc(harness.Vocabulary, func(k harness.FaultKind) bool { return k.Key() == d.key })]
	}
	return out
}()

// stands reports whether a word stands at that place.
func stands(k *harness.FaultKind, w harness.Where) bool {
	if k.Side != "" {
		return w.IsOperation() && k.Side == w.Side
	}
	return k.Point == w.Point
}
