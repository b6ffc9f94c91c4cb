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
}

func plain(*harness.Fault, space) bool { return true }

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
	{"record fail", false, plain},
	{"record conflict", false, plain},
	{"record lose", false, plain},
	{"record kill-before", false, plain},
	{"record kill-after", false, plain},
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

// NotTried are the words that a search leaves out, each with the reason.
var NotTried = map[string]string{
	"deliver times":       "a root of the search: two workers at once",
	"deliver at":          "a root of the search: a second worker at each boundary",
	"deliver after":       "time alone changes what the target forgets: a setting of the target",
	"deliver no-name":     "to the client the same as down: never dispatched",
	"deliver no-tls":      "to the client the same as down: never dispatched",
	"request reset":       "to the client and the target the same as request close on a fresh connection",
	"request hang":        "the same as request delay past the deadline, where nothing arrives",
	"request cut":         "a torn request has no effect, as request close",
	"request stop":        "a worker that is asked to stop and is then killed dies as by request kill",
	"request cancel":      "only where drill owns the caller",
	"request hold":        "a root of the search: the other worker runs meanwhile",
	"target swallow":      "a target that breaks its own promise",
	"target hold":         "a root of the search: the other worker runs meanwhile",
	"response hang":       "the same as response delay past the deadline, where nothing arrives",
	"response stop":       "a worker that is asked to stop and is then killed dies as by response kill",
	"response cancel":     "only where drill owns the caller",
	"response kill-after": "the same place as report kill, for what the target and the records can show",
	"response pause":      "the same as a second worker at the response, with the answer held",
	"response hold":       "a root of the search: the other worker runs meanwhile",
	"record hold":         "the executor's own store; see the scenarios",
	"lease expire":        "needs a queue that drill serves",
	"lease lose":          "needs a queue that drill serves",
	"lease refuse":        "needs a queue that drill serves",
	"lease late":          "needs a queue that drill serves",
	"ack expire":          "needs a queue that drill serves",
	"ack lose":            "needs a queue that drill serves",
	"ack refuse":          "needs a queue that drill serves",
	"ack late":            "needs a queue that drill serves",
	"event early":         "needs a target that tells by itself",
	"event late":          "needs a target that tells by itself",
	"event lose":          "needs a target that tells by itself",
	"event twice":         "needs a target that tells by itself",
	"event new-id":        "needs a target that tells by itself",
	"event foreign":       "needs a target that tells by itself",
}

// apart are words that mean nothing beside each other, in either order.
var apart = []struct{ one, other, why string }{
	{"deliver new-action", "deliver new-trigger", "minted twice under another trigger key: nobody could tell it from a new intent"},
	{"deliver elsewhere", "target restart", "neither a record nor a key is left: nothing could stop a repeat that is on its way"},
	{"record lose", "target restart", "neither a record nor a key is left: nothing could stop a repeat that is on its way"},
	{"request hold", "target restart", "a request that comes when its key is forgotten: no executor could call it back"},
	{"request delay", "target restart", "a request that comes when its key is forgotten: no executor could call it back"},
	{"request duplicate", "target restart", "a request that comes when its key is forgotten: no executor could call it back"},
	{"deliver new-action", "deliver brings", "minted twice of one of two equal actions: nobody could tell of which"},
	{"deliver new-action", "deliver elsewhere", "minted twice on another machine: nobody could tell it from a new intent"},
	{"deliver new-action", "record lose", "minted twice and the record of the first lost: nobody could tell it from a new intent"},
	{"deliver change", "deliver re-approve", "other arguments that a person approved: no longer a retry"},
	{"target reject", "deliver elsewhere", "refused, and the refusal known to another machine alone: nobody could tell it from a new intent"},
	{"target reject", "record fail", "a refusal that could not be kept: asking once more is all that is left"},
	{"target reject", "record lose", "a refusal that could not be kept: asking once more is all that is left"},
	{"target reject", "record conflict", "a refusal that could not be kept: asking once more is all that is left"},
}

// Apart gives the reason for which a fault means nothing beside those that stand, or
// nothing.
func Apart(before []harness.Fault, f harness.Fault) string {
	for _, pair := range apart {
		for _, g := range before {
			if g.Is(pair.one) && f.Is(pair.other) || g.Is(pair.other) && f.Is(pair.one) {
				return pair.why
			}
		}
	}
	return ""
}

// At lists the faults that are tried at one place of a schedule; changes says that an
// operation changes something.
func At(s harness.Schedule, p harness.Promises, where harness.Where, changes bool) []harness.Fault {
	return space{promises: p, schedule: s}.at(boundary{where: where, changes: changes})
}

func (s space) at(b boundary) []harness.Fault {
	var out []harness.Fault
	for _, d := range menu {
		f := harness.Fault{Where: b.where}
		word, ok := wordAt(d.key, b.where)
		if !ok || d.writes && !b.changes || b.where.Action != "" && d.key != "deliver approval" {
			continue
		}
		if f.Name = word; d.make(&f, s) {
			out = append(out, f)
		}
	}
	return out
}

// wordAt is the word of a key like "response close", if it stands at that place.
func wordAt(key string, w harness.Where) (string, bool) {
	for _, k := range harness.Vocabulary {
		if k.Key() != key {
			continue
		}
		if k.Side != "" {
			return k.Name, w.IsOperation() && k.Side == w.Side
		}
		return k.Name, k.Point == w.Point
	}
	return "", false
}

func gatewayStatus(f *harness.Fault, s space) bool {
	for _, status := range []int{504, 502, 503, 500} {
		if s.promises.Classify(status, "") == harness.Unknown {
			f.N = status
			return true
		}
	}
	return false
}

func serverError(f *harness.Fault, s space) bool {
	f.N = 500
	return s.promises.Classify(500, "") == harness.Unknown
}

func span(symbol string) func(*harness.Fault, space) bool {
	return func(f *harness.Fault, _ space) bool {
		f.D = harness.Span{Symbol: symbol}
		return true
	}
}

// late is a request that arrives after its sender gave up: only where the profile
// makes a repeat harmless.
func late(f *harness.Fault, s space) bool {
	f.D = harness.Span{Symbol: harness.PastDeadline}
	return s.promises.OffersCopies()
}

// forgetful is a target that loses its keys: only where a look-up is left to tell.
func forgetful(_ *harness.Fault, s space) bool { return s.promises.CanFind() }

func harmless(_ *harness.Fault, s space) bool { return s.promises.OffersCopies() }

func bytes(n int) func(*harness.Fault, space) bool {
	return func(f *harness.Fault, _ space) bool {
		f.N = n
		return true
	}
}

// rejected takes the first listed answer of a class that no key is the reason of.
func rejected(class harness.Class) func(*harness.Fault, space) bool {
	return func(f *harness.Fault, s space) bool {
		i := slices.IndexFunc(s.promises.Errors, func(e harness.ErrorClass) bool {
			return e.Class == class && e.Status != 401 && e.Status != 404 && (e.Code == "" || e.Code != s.promises.Key.OtherCode)
		})
		if i < 0 {
			return false
		}
		f.N, f.Code = s.promises.Errors[i].Status, s.promises.Errors[i].Code
		return true
	}
}

// later is what can only be said of a delivery that repeats another.
func later(f *harness.Fault, _ space) bool { return f.Where.From > 1 }

func first(f *harness.Fault, _ space) bool { return f.Where.From == 1 }

func changed(f *harness.Fault, s space) bool {
	return f.Where.From > 1 && len(s.schedule.Actions[0].Changed) > 0
}

func another(f *harness.Fault, s space) bool {
	if len(s.schedule.Actions) < 2 || s.promises.UniqueNames {
		return false
	}
	f.Actions = []string{s.schedule.Actions[1].Name}
	if f.Where.From == 1 {
		// Both come in one delivery: a batch.
		f.Actions = []string{s.schedule.Actions[0].Name, s.schedule.Actions[1].Name}
	}
	return true
}

// beside is the place of the action that a line brings beside the first one: what
// came with it can be struck by itself.
func (s space) beside(last harness.Fault) (harness.Where, bool) {
	if !last.Is("deliver brings") || len(s.schedule.Actions) < 2 {
		return harness.Where{}, false
	}
	w := last.Where
	w.Action = s.schedule.Actions[1].Name
	return w, true
}

// spent is the consent to the first action, shown for the one beside it.
func spent(f *harness.Fault, _ space) bool {
	f.Word = "spent"
	return f.Where.Action != ""
}

// approval is what a first hand-over has in the place of a consent.
func approval(word string) func(*harness.Fault, space) bool {
	return func(f *harness.Fault, _ space) bool {
		f.Word = word
		return f.Where.From == 1 || f.Where.Action != ""
	}
}

// answer is what a person says where somebody was asked.
func answer(word string) func(*harness.Fault, space) bool {
	return func(f *harness.Fault, _ space) bool {
		f.Word = word
		return f.Where.From > 1
	}
}
