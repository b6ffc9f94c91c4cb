package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// explainPromises says what a profile promises, a line a rule.
func explainPromises(p *targets.Profile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", p.About)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	explainKey(line, p)
	explainLookup(line, p.Promises())
	for i, name := range slices.Sorted(maps.Keys(p.Operations)) {
		op := p.Operations[name]
		what := "reads"
		if op.Changes {
			what = "changes"
		}
		line(once(i, "operations"), "%s: %s %s, %s", name, op.Method, op.Path, what)
	}
	for i, e := range p.Promises().Errors {
		line(once(i, "answers"), "%s: %s", strings.TrimSpace(fmt.Sprint(e.Status, " ", e.Code)), e.Class)
	}
	line("", "everything else: unknown")
	line("try it", "drill run --target %s, drill serve %s", p.Name, p.Name)
	if p.Source != "" {
		line("source", "%s", p.Source)
	}
	_ = t.Flush()
	return b.String()
}

// once is a heading that stands on the first of several lines.
func once(i int, heading string) string {
	if i > 0 {
		return ""
	}
	return heading
}

func explainKey(line func(string, string, ...any), p *targets.Profile) {
	m, i := p.Promises().Key, p.Idempotency
	if !m.Kept {
		line("key", "none is kept: a repeat is a second effect, unless something below prevents it")
		return
	}
	kept := "without end"
	if m.Retention > 0 {
		kept = "for " + hours(m.Retention)
	}
	line("key", "%s, %s, kept %s, within one %s", keyPlace(i.Key), map[string]string{"accept": "optional", "refuse": "required"}[i.Key.Missing], kept, m.Scope)
	marked := ""
	for name, value := range i.ReplayHeader {
		marked = fmt.Sprintf(", marked %s: %s", name, value)
	}
	line("the same again", "%s%s", map[string]string{
		"replay":     "the first answer is replayed",
		"equivalent": "what the first one made, as it is now",
		"re-execute": "done again",
	}[m.Same], marked)
	line("other arguments", "%s", map[string]string{
		"replay":  "the first answer is replayed all the same",
		"execute": "done as if it were new",
		"refuse":  strings.TrimSpace(fmt.Sprintf("refused, %d %s", i.Other.Status, i.Other.Code)),
	}[m.Other])
	inFlight := "the second waits for the first"
	if m.InFlight != 0 {
		inFlight = strings.TrimSpace(fmt.Sprintf("refused, %d %s", m.InFlight, m.InFlightCode))
	}
	line("two at once", "%s", inFlight)
	stored := strings.Join(i.Stored.Executed, ", ")
	if len(i.Stored.Never) > 0 {
		var never []string
		for _, v := range i.Stored.Never {
			never = append(never, fmt.Sprint(v))
		}
		stored += "; never " + strings.Join(never, ", ")
	}
	line("kept outcomes", "%s", cmp.Or(stored, "none"))
}

func explainLookup(line func(string, string, ...any), m harness.Promises) {
	if m.CanFind() {
		line("look-up", "by %s; %s", strings.Join(m.Lookup.By, ", "), howSure(m.Lookup))
	} else {
		line("look-up", "none that finds an effect before its ID is known")
	}
	if m.Reference != "" {
		line("reference", "the action ID is stamped at %s", m.Reference)
	}
	if m.ClientIDs {
		line("IDs", "the client chooses them: the same again finds its own work")
	}
	if m.UniqueNames {
		line("names", "a second effect under one business key is refused")
	}
	if len(m.Parts) > 0 {
		line("parts", "%s", strings.Join(m.Parts, ", then "))
	}
}

func keyPlace(k targets.Key) string {
	switch {
	case k.Body != "":
		return "field " + k.Body
	case k.Quoted:
		return "header " + k.Header + ", quoted"
	}
	return "header " + k.Header
}

func howSure(l harness.FindPromise) string {
	if !l.Authoritative {
		return "nobody promises when, so that nothing found proves nothing"
	}
	if l.Lag == 0 {
		return "at once, so that nothing found proves that nothing is there"
	}
	return "after " + hours(l.Lag) + " nothing found proves that nothing is there"
}

// hours spells 24h0m0s as 24h.
func hours(d harness.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
