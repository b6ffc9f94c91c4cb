package search

import (
	"math"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Pair is two words that show nothing beside each other, in either order: whatever an
// executor does then, it can do no better. A word is one of the vocabulary, or the name
// of one of the [Conditions]; without the other, the one shows nothing by itself.
type Pair struct {
	One, Other string
	Why        string
	// Where says where that holds; the zero value is everywhere.
	Where Scope
}

// Scope is where a pair shows nothing.
type Scope string

const (
	// unheld: several workers are at it, or no key holds the refusal. One alone who has the
	// key is told once more, which is tried.
	unheld Scope = "several workers, or a refusal for good that no key keeps, or one that is forgotten"
	// unproven: several workers, or reads that do not prove absence.
	unproven Scope = "several workers, or a look-up that does not prove absence"
	// sameRequest: both strike one request.
	sameRequest Scope = "one request"
	// unguarded: and the target lets two effects stand, since it keeps no key, takes no
	// ID of the client's and has no unique names.
	unguarded Scope = "several workers, at a target that keeps no key"
	// unkept: another request of one operation is refused for good, or is the last one that
	// the limits allow and refused for now, and no key keeps that,
	// so that what comes later is decided anew; and a look-up proves absence. Without
	// such a proof the refusal tells nothing of the attempt before, and whoever takes it
	// for the end is tried.
	unkept Scope = "another request, refused for good, or for now at the last attempt, and not kept under a key that is remembered, where a look-up proves absence"
	// asFirst: what comes under another trigger key comes as if for the first time.
	asFirst Scope = "handed over under another trigger, as if for the first time"
	// renewed: a person approves again what was refused.
	renewed Scope = "approved again"
	// shown: the consent to one action comes with another one, and the first write, which
	// would tell that it is used, is the one that is struck.
	shown Scope = "a consent shown for another action, and the first write"
	// lastOne: nothing may be sent after it, or comes to anything, and a look-up proves
	// absence.
	lastOne Scope = "at the last attempt that the limits allow, or where the others are struck too, and a look-up proves absence"
)

// third is the word that has to stand beside a pair.
var third = map[Scope]string{asFirst: "deliver new-trigger", renewed: "deliver re-approve"}

// resent: a transport sends a keyed request again by itself where a used connection
// breaks before the answer.
const resent = "the transport sends by itself again what the target forgot the key of: nobody could call it back"

// unrecorded: the age of a key is known to who sent it first.
const unrecorded = "without the record nobody knows how old the key is, and whether it is forgotten: only a read that proves absence would tell, and only one who is alone"

// unseen: a redelivery says that it is one, and is looked up where there is no record.
const unseen = "a repeat that says of itself that it is none, to one who has no record of it: only a read before every first request would tell, which a kept key is promised to make needless"

// overdue: one attempt was given up and proven absent, another was refused.
const overdue = "a request that arrives later than the target promises, when absence was proven and the next one refused for good: nobody could call it back"

// unused: a consent has an ID, a digest and a term, and no action.
const unused = "a consent is shown for another action, and nothing tells that it was used: nothing in it says whose it is"

// unseconded: see overdue.
const unseconded = "a request that arrives later than the target promises, when absence was proven and no other may follow: nobody could call it back"

// Pairs lists them.
var Pairs = []Pair{
	{"deliver new-action", "deliver new-trigger", "minted twice under another trigger key: nothing in it differs from a new intent", ""},
	{"deliver new-action", "deliver elsewhere", "minted twice, on another machine: what tells of the first is its action ID, and nobody there knows it", ""},
	{"deliver new-action", "record lose", "minted twice, and the record of the first is lost: what tells of it is its action ID, and nobody knows it", ""},
	{"deliver new-action", "deliver brings", "minted twice out of a batch that comes again in parts: nothing tells of which of two equal actions it is", ""},
	{"deliver change", "deliver re-approve", "other arguments that a person approved: a new intent, and no retry", ""},
	{"target reject", "deliver elsewhere", "a refusal leaves nothing at the target, and another machine has no record of it: nothing tells it from a new intent", ""},
	{"target reject", "record lose", "a refusal leaves nothing at the target, and its record is lost: nothing tells it from a new intent", unheld},
	{"deliver elsewhere", "target restart", "without the record, at a target that forgets its key sooner than it promised: only a read that proves absence would tell, and only of one who is alone", unproven},
	{"record lose", "target restart", "without the record, at a target that forgets its key sooner than it promised: only a read that proves absence would tell, and only of one who is alone", unproven},
	{ForgetKey, "deliver elsewhere", unrecorded, unproven},
	{ForgetKey, "record lose", unrecorded, unproven},
	{"deliver elsewhere", "target restart", unseen, asFirst},
	{"record lose", "target restart", unseen, asFirst},
	{ForgetKey, "deliver elsewhere", unseen, asFirst},
	{ForgetKey, "record lose", unseen, asFirst},
	{"target reject", "record lose", "a refusal that the key holds, and no record tells under which consent it was given: who has the key of the action alone takes it for the answer to the new one", renewed},
	{"deliver approval", "deliver approval", unused, shown},
	{"deliver approval", "deliver elsewhere", unused, shown},
	{"deliver approval", "record fail", unused, shown},
	{"deliver approval", "record conflict", unused, shown},
	{"deliver approval", "record lose", unused, shown},
	{"deliver approval", "record kill-before", unused, shown},
	{"request delay", "", unseconded, lastOne},
	{"request duplicate", "target restart", "a proxy's copy that arrives when its key is forgotten: nobody could call it back", ""},
	{"request delay", "target restart", "a request that arrives when its key is forgotten: nobody could call it back", ""},
	{"request hold", "target restart", "a request that arrives when its key is forgotten: nobody could call it back", ""},
	{"target restart", "response close", resent, sameRequest},
	{"target restart", "response reset", resent, sameRequest},
	{"request delay", "target reject", overdue, unkept},
	{"request hold", "target reject", overdue, unkept},
	{"deliver times", "record lose", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
	{"deliver times", "deliver elsewhere", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
	{"deliver at", "record lose", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
	{"deliver at", "deliver elsewhere", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
	{"response pause", "record lose", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
	{"response pause", "deliver elsewhere", "two at once without a record of each other and without a key: both look, and both see nothing", unguarded},
}

// Apart gives the reason for which a fault shows nothing beside what stands in a
// schedule at a target of these promises, or nothing.
func Apart(promises harness.Promises, s harness.Schedule, f harness.Fault) string {
	key := f.Key()
	for _, p := range Pairs {
		concerned := key == p.One || key == p.Other || key == third[p.Where] || p.Where == lastOne && (f.Where.IsOperation() || f.Is(recordedOnly))
		if !concerned || !p.Where.holds(promises, s.Faults, f) {
			continue
		}
		if p.meets(promises, s, f, f) {
			return p.Why
		}
		// The third word may come last.
		if key != third[p.Where] {
			continue
		}
		for _, g := range s.Faults {
			if p.meets(promises, s, g, f) {
				return p.Why
			}
		}
	}
	return ""
}

// meets reports whether one line has one word of the pair, and the schedule the other;
// added is put to its lines.
func (p Pair) meets(promises harness.Promises, s harness.Schedule, f, added harness.Fault) bool {
	switch {
	case p.Other == "":
		alone := func(x harness.Fault) bool { return x.Is(p.One) && p.Where.of(promises, s, added, x, x) }
		return alone(f) || slices.ContainsFunc(s.Faults, alone)
	case p.One == ForgetKey:
		return s.Settings.ForgetKey && f.Is(p.Other) && p.Where.beside(s.Faults, added, f)
	}
	for _, g := range s.Faults {
		if (g.Is(p.One) && f.Is(p.Other) || g.Is(p.Other) && f.Is(p.One)) && p.Where.of(promises, s, added, f, g) {
			return true
		}
	}
	return false
}

// beside reports whether the third word of the scope stands beside two lines; another
// machine has no record of an action at that hand-over alone.
func (where Scope) beside(lines []harness.Fault, added harness.Fault, of ...harness.Fault) bool {
	word := third[where]
	if word == "" {
		return true
	}
	stands := func(x harness.Fault) bool {
		return x.Is(word) && !slices.ContainsFunc(of, func(f harness.Fault) bool { return f.Is("deliver elsewhere") && !meet(f.Where, x.Where) })
	}
	return stands(added) || slices.ContainsFunc(lines, stands)
}

// holds reports whether lines, and one more, stand in the scope, at a target of these
// promises.
func (where Scope) holds(p harness.Promises, lines []harness.Fault, f harness.Fault) bool {
	several := crowds(f) || slices.ContainsFunc(lines, crowds)
	switch where {
	case unproven:
		return several || !p.ProvesAbsence()
	case unguarded:
		return several && !p.OffersCopies()
	case unkept, lastOne:
		return p.ProvesAbsence()
	}
	return true
}

// of reports whether two lines are such as the scope means.
func (where Scope) of(p harness.Promises, s harness.Schedule, added, f, g harness.Fault) bool {
	switch most := s.Limits.MaxAttempts; where {
	case sameRequest:
		return meet(f.Where, g.Where)
	case unheld:
		return crowds(added) || slices.ContainsFunc(s.Faults, crowds) || unkeptFor(p, s, f) || unkeptFor(p, s, g)
	case asFirst, renewed:
		return where.beside(s.Faults, added, f, g)
	case shown:
		return again(f, g) || again(g, f)
	case lastOne:
		lines := append(slices.Clip(s.Faults), added)
		most -= unsent(most, lines)
		return f.D.In(s.Limits) > time.Duration(s.Limits.ClientDeadline+p.Lookup.MaxInFlight) && (ends(f, most) || spend(p, most, f, lines))
	case unkept:
		return (notKept(p, s, f) || notKept(p, s, g)) && f.Where.Point == g.Where.Point && !same(f.Where, g.Where)
	}
	return true
}

// again reports whether one line shows a consent for another action, and the other keeps
// its use by the first from being seen.
func again(f, g harness.Fault) bool {
	return f.Is("deliver approval") && f.Word == "spent" && g.Word != "spent" && (g.Where.Point != harness.Record || g.Where.From == 1)
}

// ends reports whether a line strikes the last attempt that the limits allow.
func ends(f harness.Fault, most int) bool { return f.Where.To == 0 || most > 0 && f.Where.To >= most }

// recordedOnly is the word for who dies behind a write: one that told of a request which
// never left, and used up an attempt.
const recordedOnly = "record kill-after"

// unsent is how many of the attempts that the limits allow lines may use up before a
// request leaves.
func unsent(most int, lines []harness.Fault) (n int) {
	for _, f := range lines {
		switch {
		case !f.Is(recordedOnly):
		case f.Where.To == 0:
			n += most
		default:
			n += f.Where.To - f.Where.From + 1
		}
	}
	return min(n, max(most-1, 0))
}

// spend reports whether lines strike every attempt that the limits allow, at the operation
// of one of them.
func spend(p harness.Promises, most int, of harness.Fault, lines []harness.Fault) bool {
	for n := 1; n <= most; n++ {
		if !slices.ContainsFunc(lines, func(f harness.Fault) bool {
			return meet(f.Where, harness.Where{Point: of.Where.Point, From: n, To: n}) && costs(p, f)
		}) {
			return false
		}
	}
	return most > 0
}

// costs: whoever is struck does not hear the target's answer, and has to ask again; and no
// key holds a refusal, which answers what comes late.
func costs(p harness.Promises, f harness.Fault) bool {
	return !(f.Is("target reject") && p.Key.KeepsRefusal(f.N)) && !slices.Contains([]string{"duplicate", "restart", "hold", "pause"}, f.Name)
}

// same reports whether two places are of one request and no other.
func same(a, b harness.Where) bool {
	return a.Point == b.Point && a.Worker == b.Worker && a.From == a.To && a.From == b.From && b.To == b.From
}

// notKept reports whether a line is a refusal that the target does not keep under a key,
// or forgets with it, and that ends the action: one for good, or one for now of the last
// attempt.
func notKept(p harness.Promises, s harness.Schedule, f harness.Fault) bool {
	if !f.Is("target reject") || p.Key.KeepsRefusal(f.N) && !s.Settings.ForgetKey {
		return false
	}
	class := p.Classify(f.N, f.Code)
	return class == harness.RejectedPermanent || class == harness.RejectedTransient && ends(f, s.Limits.MaxAttempts)
}

// unkeptFor reports whether a line is a refusal for good that no key tells of once more.
func unkeptFor(p harness.Promises, s harness.Schedule, f harness.Fault) bool {
	return f.Is("target reject") && p.Classify(f.N, f.Code) == harness.RejectedPermanent && (!p.Key.KeepsRefusal(f.N) || s.Settings.ForgetKey)
}

// crowds reports whether a line has another worker at it while one is.
func crowds(f harness.Fault) bool {
	switch f.Key() {
	case "deliver times", "deliver at", "response pause":
		return true
	}
	return false
}

// meet reports whether two places can be of one request.
func meet(a, b harness.Where) bool {
	until := func(w harness.Where) int {
		if w.To == 0 {
			return math.MaxInt
		}
		return w.To
	}
	return a.Point == b.Point && a.From <= until(b) && b.From <= until(a)
}
