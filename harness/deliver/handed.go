package deliver

import (
	"cmp"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// handed is one action as it is handed over.
type handed struct {
	harness.Action
	as      string
	covered bool
	respell bool
	// spelled: it is handed over in the action's other spelling.
	spelled bool
	// digests are those of the arguments as they are, once somebody asked.
	digests *digested
}

// digest returns the digests of the arguments.
func (m *Message) digest(a *handed) *digested {
	if a.digests == nil {
		a.digests = m.known.of(a.Arguments)
	}
	return a.digests
}

func (a *handed) apply(s *harness.Schedule, f *harness.Fault) (err error) {
	a.digests = nil
	switch f.Name {
	case "respell":
		a.respell = true
	case "equivalent":
		if a.spelled = len(a.Spelled) > 0; !a.spelled {
			return fmt.Errorf("action %s says no other spelling of its arguments", a.Name)
		}
	case "change":
		a.Arguments, err = a.changed(f)
		a.covered, a.spelled = false, false
	case "re-approve":
		if f.Pointer != "" {
			a.Arguments, err = a.changed(f)
		}
		if of, ok := a.planned(s); ok && !a.covered {
			a.Approval = of.Approval
		}
		a.Approval.ID += "-again"
		a.Approval.ArgumentsSHA256 = a.Arguments.Digest()
		a.covered = true
	case "new-action":
		a.as, a.Name = a.Name, a.Name+"'"
		a.ID = another(a.ID)
		a.Approval.ID = another(a.Approval.ID)
	case "answer":
		a.answered(s, f.Word)
	case "approval":
		a.covered = false
		switch f.Word {
		case "none":
			a.Approval = harness.Approval{Status: harness.NoGrant}
		case "denied":
			a.Approval.Status = harness.Denied
		case "stale":
			a.Approval.PolicyVersion += "-old"
		case "spent":
			a.Approval.ID, a.Approval.SingleUse = s.Actions[0].Approval.ID, true
		case "of":
			b, _ := s.Action(f.Of)
			a.Approval = b.Approval
		}
	}
	return err
}

// planned is the schedule's action, also of one that was minted twice.
func (a *handed) planned(s *harness.Schedule) (harness.Action, bool) {
	return s.Action(cmp.Or(a.as, a.Name))
}

// The answers that decide on an approval that was missing.
const (
	answerYes = "yes"
	answerNo  = "no"
)

// answered lets a person's answer bring the approval that was missing, or deny it.
// Any other word is an answer to something else.
func (a *handed) answered(s *harness.Schedule, word string) {
	of, ok := a.planned(s)
	if a.Approval.Status != harness.NoGrant || !ok {
		return
	}
	switch word {
	case answerYes:
		a.Approval = of.Approval
		a.covered = of.Approval.Status == harness.Granted && of.Approval.ArgumentsSHA256 == a.Arguments.Digest()
	case answerNo:
		a.Approval = of.Approval
		a.Approval.Status = harness.Denied
	}
}

func (a *handed) changed(f *harness.Fault) (harness.Arguments, error) {
	if f.Pointer != "" {
		return a.Arguments.Set(f.Pointer, f.Value)
	}
	if len(a.Changed) == 0 {
		return nil, fmt.Errorf("action %s does not say what changed means (drill.yaml, action.changed)", a.Name)
	}
	return a.Arguments.Change(a.Changed)
}

// another is an ID of the same form, made from the first one.
func another(id string) string {
	sum := harness.Digest([]byte("another " + id))[7:]
	out := []byte(id)
	for i, j := 0, 0; i < len(out) && j < len(sum); i++ {
		if c := out[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			out[i] = sum[j]
			j++
		}
	}
	if string(out) == id {
		return id + "-another"
	}
	return string(out)
}
