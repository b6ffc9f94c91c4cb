package report

import (
	"fmt"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Line is one line of a story.
type Line struct {
	// Seq is the event's number in the history.
	Seq  int    `json:"event"`
	Text string `json:"text"`
}

// Story tells a history boundary by boundary: who crossed to whom with what.
func Story(h *harness.History) []Line {
	var out []Line
	for i, e := range h.Events {
		if passes(h.Events[i:]) {
			continue
		}
		if text := tell(e); text != "" {
			out = append(out, Line{e.Seq, text})
		}
	}
	return out
}

// passes reports whether the first event is an answer that goes on to the worker as
// it is: the second then tells all of it.
func passes(es []harness.Event) bool {
	return len(es) > 1 && es[0].Kind == harness.EvAnswer && es[1].Kind == harness.EvPassed &&
		es[1].Own && es[0].Attempt == es[1].Attempt && es[0].Copy == es[1].Copy
}

func tell(e harness.Event) string {
	w := worker(e)
	switch e.Kind {
	case harness.EvDeliver:
		return fmt.Sprintf("drill -> %s: delivery %d%s", w, e.Delivery, delivered(e.Deliver))
	case harness.EvRequest:
		return fmt.Sprintf("%s -> target: %s%s", w, crossing(e), request(e))
	case harness.EvTorn:
		return fmt.Sprintf("%s -> target: a request that ended before it was whole%s", w, note(e))
	case harness.EvRefused:
		return fmt.Sprintf("%s: refused%s", w, note(e))
	case harness.EvEffect:
		return effect(e)
	case harness.EvAnswer:
		return fmt.Sprintf("target: answers %s with %s", crossing(e), answer(e))
	case harness.EvPassed:
		from := "target"
		if !e.Own {
			from = "drill, in the target's place"
		}
		return fmt.Sprintf("%s <- %s: %s%s", w, from, answer(e), because(e))
	case harness.EvLost:
		return fmt.Sprintf("%s <- nothing: the answer to attempt %d is lost%s", w, e.Attempt, because(e))
	case harness.EvHeard:
		if e.Sends < 2 {
			return ""
		}
		return fmt.Sprintf("%s: one call of its client became %d requests", w, e.Sends)
	case harness.EvFault:
		return "fault: " + e.Fault + note(e)
	case harness.EvHold:
		return fmt.Sprintf("drill: what was held goes on%s%s", note(e), because(e))
	case harness.EvRecord:
		return fmt.Sprintf("%s: %s", w, recorded(e))
	case harness.EvNotice:
		return "target: tells by itself" + noticed(e.Notice)
	case harness.EvReport:
		return fmt.Sprintf("%s: %s", w, reported(e))
	case harness.EvEnd:
		return fmt.Sprintf("%s: ends%s", w, note(e))
	case harness.EvAck:
		return fmt.Sprintf("drill: delivery %d is acknowledged", e.Delivery)
	case harness.EvNack:
		return fmt.Sprintf("drill: delivery %d is not acknowledged%s", e.Delivery, note(e))
	case harness.EvBound:
		return "drill: a bound was hit" + note(e)
	case harness.EvLeak:
		return "drill: the target's token showed" + note(e)
	case harness.EvDisagree:
		return fmt.Sprintf("drill: attempt %d is put down to %s%s", e.Attempt, e.Action, note(e))
	case harness.EvLog:
		return fmt.Sprintf("%s: prints %q", w, cut(e.Note, 100))
	case harness.EvSlow:
		return fmt.Sprintf("drill: the machine was slow, %s came %s late", e.Note, e.Late)
	case harness.EvState:
		return ""
	}
	return e.Kind.String() + note(e)
}

func worker(e harness.Event) string {
	switch {
	case e.Copy:
		return "a proxy"
	case e.Worker == 0:
		return "somebody"
	case e.Incarnation > 1:
		return fmt.Sprintf("worker %d, life %d", e.Worker, e.Incarnation)
	}
	return fmt.Sprintf("worker %d", e.Worker)
}

func delivered(d *harness.Delivered) string {
	if d == nil {
		return ""
	}
	var b strings.Builder
	if d.Event != nil {
		b.WriteString(" brings a notice" + noticed(d.Event))
	} else if len(d.Actions) == 0 {
		b.WriteString(" brings nothing")
	}
	for i, a := range d.Actions {
		sep := ", "
		if i == 0 {
			sep = " brings "
		}
		fmt.Fprintf(&b, "%s%s (%s, arguments %s)", sep, a.Name, a.ID, short(a.Digest))
		if !a.Covered {
			b.WriteString(" without a valid approval")
		}
	}
	if len(d.How) > 0 {
		fmt.Fprintf(&b, " [%s]", strings.Join(d.How, "; "))
	}
	return b.String()
}

func crossing(e harness.Event) string {
	op := e.Op
	if op == "" {
		op = "a request nobody knows"
	}
	name := fmt.Sprintf("%s#%d", op, e.N)
	if e.Copy {
		name += "+"
	}
	return fmt.Sprintf("%s (attempt %d)", name, e.Attempt)
}

func request(e harness.Event) string {
	s := fmt.Sprintf(", %s %s", e.Method, e.Path)
	if e.Changes {
		if e.Key != "" {
			s += ", key " + e.Key
		} else {
			s += ", no key"
		}
	}
	if e.Warm {
		s += ", on a used connection"
	}
	if e.Action == "" {
		s += ", of no action that drill knows"
	}
	return s
}

func effect(e harness.Event) string {
	f := e.Effect
	if f == nil {
		return "target: commits"
	}
	whose := "for " + e.Action
	if e.Action == "" {
		whose = "for no action that drill knows"
	}
	if f.Foreign {
		whose = "of a stranger"
	}
	return fmt.Sprintf("target: COMMITS effect %d (%s) %s, attempt %d", f.Seq, f.Resource, whose, f.Attempt)
}

func answer(e harness.Event) string {
	s := fmt.Sprint(e.Status)
	for _, part := range []string{e.Code, e.Resource} {
		if part != "" {
			s += " " + part
		}
	}
	if len(e.Found) > 0 {
		s += fmt.Sprintf(", %d found", len(e.Found))
	}
	if e.Replayed {
		s += ", a replay"
	}
	if e.Class != "" {
		s += fmt.Sprintf(" (%s)", e.Class)
	}
	return s
}

func noticed(n *harness.Notice) string {
	if n == nil {
		return ""
	}
	s := fmt.Sprintf(" of %s (%s %s)", n.Resource, n.Type, n.ID)
	if n.Foreign {
		s += ", which is somebody else's"
	}
	return s
}

func recorded(e harness.Event) string {
	if e.Record == nil {
		return "records nothing that can be read"
	}
	who := e.Action
	if who == "" {
		who = "something"
	}
	return fmt.Sprintf("records %s %s, attempt %d, record#%d: %s", who, e.Record.State, e.Record.Attempt, e.N, e.Note)
}

func reported(e harness.Event) string {
	r := e.Report
	if r == nil {
		return "reports nothing that can be read"
	}
	if r.ActionID == "" {
		return "prints a report that can not be read: " + r.Detail
	}
	who := e.Action
	if who == "" {
		who = r.ActionID
	}
	s := fmt.Sprintf("REPORTS %s %s", who, r.Outcome)
	for _, part := range []string{r.Resource, r.ErrorClass} {
		if part != "" {
			s += " " + part
		}
	}
	if r.WaitsFor != "" {
		s += " for " + r.WaitsFor
	}
	return s
}

func because(e harness.Event) string {
	if e.Fault == "" {
		return ""
	}
	return " [" + e.Fault + "]"
}

func note(e harness.Event) string {
	if e.Note == "" {
		return ""
	}
	return ": " + cut(e.Note, 160)
}

func short(digest string) string {
	hex := strings.TrimPrefix(digest, "sha256:")
	return hex[:min(8, len(hex))]
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
