package search

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

func plain(*harness.Fault, space) bool { return true }

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

// forgetful is a target that loses its keys: only where it keeps any, and a look-up is
// left to tell.
func forgetful(_ *harness.Fault, s space) bool { return s.promises.Key.Kept && s.promises.CanFind() }

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

// spelled is the action's other spelling, where there is one.
func spelled(_ *harness.Fault, s space) bool {
	return len(s.schedule.Actions) > 0 && len(s.schedule.Actions[0].Spelled) > 0
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

// forgotten is an acknowledged record that is gone: only where the target can tell what
// became of a request, since nothing else could.
func forgotten(_ *harness.Fault, s space) bool {
	return s.promises.CanFind() || s.promises.Key.Dedups()
}

// recorded is a write that does not come about: once something was sent, only where
// the target can tell what became of it.
func recorded(f *harness.Fault, s space) bool { return !s.sent || forgotten(f, s) }
