package tap

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Redacted stands in a history where the target's token stood.
const Redacted = "<secret>"

// secret is the target's token, with the forms in which it could show.
type secret struct {
	token string
	forms []string
	// shortest is the length of the shortest of them.
	shortest int
	// clean are texts of requests without any: the next trial mostly says the same. turn
	// counts what was put there.
	clean [8]string
	turn  int
}

// is makes it that of another trial.
func (x *secret) is(token string) {
	if token == x.token {
		return
	}
	*x = secret{token: token}
	if token == "" {
		return
	}
	x.forms = []string{token, base64.StdEncoding.EncodeToString([]byte(token))}
	for _, f := range []string{url.QueryEscape(token), strings.Trim(strconv.Quote(token), `"`)} {
		if f != token {
			x.forms = append(x.forms, f)
		}
	}
	x.shortest = len(slices.MinFunc(x.forms, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// in reports whether a text holds it: most are too short for that.
func (x *secret) in(text string) bool { return len(text) >= x.shortest && x.shows(text) }

func (x *secret) shows(text string) bool {
	for _, f := range x.forms {
		if strings.Contains(text, f) {
			return true
		}
	}
	return false
}

// hide replaces it in a text, and reports whether it was there.
func (x *secret) hide(s *string) bool { return x.in(*s) && x.replace(s) }

func (x *secret) replace(s *string) bool {
	var pairs []string
	for _, f := range x.forms {
		pairs = append(pairs, f, Redacted)
	}
	*s = strings.NewReplacer(pairs...).Replace(*s)
	return true
}

// hideIn is hide in what a request says.
func (x *secret) hideIn(s *string) bool {
	if len(*s) < x.shortest || slices.Contains(x.clean[:], *s) {
		return false
	}
	if x.hide(s) {
		return true
	}
	x.clean[x.turn%len(x.clean)] = *s
	x.turn++
	return false
}

// redact replaces it in what a worker chose to say, and names the place.
func (x *secret) redact(e *harness.Event) (where string) {
	if x.token == "" {
		return ""
	}
	switch e.Kind {
	case harness.EvLog:
		if x.hide(&e.Note) {
			where = "a log line"
		}
	case harness.EvRequest:
		if x.hideIn(&e.Path) {
			where = "a query string"
		}
		if x.hideIn(&e.Key) {
			where = "an idempotency key"
		}
		if x.hideIn(&e.Reference) {
			where = "a reference"
		}
	case harness.EvReport:
		if r := e.Report; x.in(r.Detail) || x.in(r.ErrorClass) || x.in(r.Resource) || x.in(r.ActionID) || x.in(r.WaitsFor) {
			// What was reported stays as it is for whoever else holds it.
			c := *r
			for _, s := range []*string{&c.Detail, &c.ErrorClass, &c.Resource, &c.ActionID, &c.WaitsFor} {
				x.hide(s)
			}
			e.Report, where = &c, "a report"
		}
	}
	return where
}
