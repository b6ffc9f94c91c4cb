package check

import (
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// attempt is one whole request, with what became of it.
type attempt struct {
	*harness.Event
	action *action
	life   *life
	given  *given
	// undo: it takes back what a step made.
	undo bool
	// answered is the target's own answer, passed what left for the worker.
	answered, passed, lost *harness.Event
	// heard is the event that shows that the answer was heard, or 0.
	heard int
	// unheard: the client from Env returned without the answer.
	unheard bool
	// resends is the attempt that the transport sent again by itself as this one, as
	// the client from Env tells.
	resends *attempt
	// told: the client from Env said how the call ended that sent it.
	told bool
	// repeats is the attempt that it repeats byte by byte after a broken connection,
	// where transport and executor can not be told apart.
	repeats *attempt
	// maybe: the repeat may be the transport's; of each attempt one repeat is.
	maybe bool
	// class is what the answer that left for the worker means to it; without one it
	// is unknown.
	class harness.Class
	// origin is the attempt whose stored refusal this one's answer repeats, or itself.
	origin *attempt
	// doubtful: the worker may have given up before the answer left.
	doubtful bool
	// forgotten: who heard the answer died, or its store refused or lost the record of
	// it, so that nobody knows.
	forgotten bool
	// saved is when what was heard was recorded, or its life went on, or 0.
	saved int
	// recorded is how many requests its record told of when it left, 0 where no record
	// was seen.
	recorded int
	// store is the place of its life's records; unrecorded: it lost one of the action.
	store      int
	unrecorded bool
	// late: the answer left in time, but what the worker did next came when it would
	// have come had it given up at its deadline. A busy machine can do that once.
	late bool
	// flying: it was sent, and what became of it has not come yet (see stand).
	flying bool
}

// operation names what was asked for; what the profile does not know goes by
// method and path.
func (a *attempt) operation() string {
	if a.Op != "" {
		return a.Op
	}
	return a.Method + " " + a.Path
}

// approval is the consent under which the target decided on the attempt; a refusal
// that it replays was decided under the first one's.
func (a *attempt) approval() consent { return a.origin.given.consent() }

// sure reports whether the worker for sure heard a definite answer.
func (a *attempt) sure() bool { return a.class.Definite() && !a.doubtful && !a.late && a.heard != 0 }

// life is one incarnation of one worker.
type life struct {
	// untold are requests of which the client from Env has not told yet.
	untold []*attempt
	// late are requests that it told of, and gave up, before they arrived.
	late late
	// unproven are answers that left and of which nothing yet shows that they arrived.
	unproven []*attempt
	// lost are actions of which the store lost a record that it had acknowledged.
	lost among[*action]
	// unsaved are definite answers to mutations that it may not have kept yet.
	unsaved []*attempt
	// recent is the last attempt, asked its number, and last those for other actions than
	// its one.
	recent *attempt
	asked  int
	last   reuse.Table[*action, *attempt]
	// fromEnv: the client from Env is in use, so that it alone shows what was heard.
	fromEnv bool
	// broken is the last attempt of each form whose answer was lost with its
	// connection.
	broken map[form]*attempt
	// knows is what it knows of the action whose line was walked last (see stand).
	knows knowledge
	about *action
	// pages are look-ups that have more pages to come.
	pages map[pages]*lookup
}

// form is all that a request says, byte by byte.
type form struct{ method, path, key, body string }

type lifeKey struct{ worker, incarnation int }

func (a *attempt) form() form { return form{a.Method, a.Path, a.Key, a.Body} }

// torn is the form as far as a request shows that was torn in its body.
func (f form) torn() form { return form{f.method, f.path, f.key, ""} }

// sameForm reports whether both can be one request, sent twice.
func sameForm(a, b *attempt) bool {
	if a.Note == tornInBody || b.Note == tornInBody {
		return a.form().torn() == b.form().torn()
	}
	return a.form() == b.form()
}

// The notes of an [harness.EvHeard] that tell of no whole answer.
const (
	heardNothing = "no answer"
	heardPart    = "cut answer"
)

// saves: it went on at an event, or recorded what it heard of an intent, under whichever ID.
func (l *life) saves(x *action, at int) {
	if len(l.unsaved) > 0 {
		l.save(x, at)
	}
}

func (l *life) save(x *action, at int) {
	l.unsaved = slices.DeleteFunc(l.unsaved, func(a *attempt) bool {
		if x != nil && !a.isOf(x.root) {
			return false
		}
		a.saved = at
		return true
	})
}

// isOf reports whether the attempt is one at the intent.
func (a *attempt) isOf(r *root) bool { return a.action != nil && a.action.root == r }

// forgets: what it heard, of an intent or of all, is known to nobody.
func (l *life) forgets(x *action) {
	for _, a := range l.unsaved {
		a.forgotten = a.forgotten || x == nil || a.isOf(x.root)
	}
	l.saves(x, 0)
}

// hears marks what left for this life before: a later event of it shows that it
// went on from there.
func (l *life) hears(e *harness.Event, deadline harness.Duration) {
	if !l.fromEnv {
		for _, a := range l.unproven {
			if a.heard == 0 && !a.unheard {
				a.heard = e.Seq
				gap := e.At - a.At
				a.late = deadline > 0 && gap >= deadline/2 && gap < 2*deadline
			}
		}
	}
	l.unproven = l.unproven[:0]
}
