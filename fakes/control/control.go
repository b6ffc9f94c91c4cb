package control

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// Stand is what is controlled.
type Stand interface {
	// Schedule is what the target was built of: seed, settings, profile.
	Schedule() harness.Schedule
	// Reset builds the target anew; ledger, keys, counters and armed lines are gone.
	Reset(harness.Schedule) error
	// Effects is the ledger, Events what the tap recorded, both since the last reset.
	Effects() []harness.Effect
	Events() []harness.Event
	// Armed lists the armed lines; Await does once that of an ID, or with 0 all of
	// them, got as far as a state, or ctx ended.
	Armed() []tap.Armed
	Await(ctx context.Context, id int, state tap.State) []tap.Armed
	// Arm adds lines, all or none.
	Arm(ctx context.Context, lines []harness.Fault) ([]tap.Armed, error)
	// Disarm reports whether there was such a line.
	Disarm(id int) bool
}

// Options say what the API knows beside the stand.
type Options struct {
	// Served are the keys of the faults that the stand carries out.
	Served []string
	// Operations are those of the profile, with any and mutate.
	Operations []string
	// Loopback: only callers on this machine are expected, and so only its own names
	// in the Host header. A page that had its name point here is none.
	Loopback bool
}

// Route is one entry of the API.
type Route struct {
	Method, Path, Doc string
	serve             func(*api, http.ResponseWriter, *http.Request)
}

// Routes lists the API in the order of its page.
var Routes = []Route{
	{"GET", "/healthz", "whether it runs, and for which profile", (*api).health},
	{"POST", "/v1/reset", "a new target: empty ledger, no keys, numbers from 1, nothing armed; body, if any: `seed`, `settings`; else they stay", (*api).reset},
	{"GET", "/v1/ledger", "every effect since the last reset; a table for `Accept: text/plain` or `text/html`", (*api).ledger},
	{"GET", "/v1/attempts", "every request since then: number, operation, key, answer, effects, faults; `?after=N`; tables as well", (*api).attempts},
	{"GET", "/v1/history", "everything that the tap recorded since then, as drill keeps it; `?after=SEQ`", (*api).history},
	{"POST", "/v1/faults", "arm the lines of `faults`, all or none; their numbers count from now", (*api).arm},
	{"GET", "/v1/faults", "the armed lines and which of them fired; `?wait=5s` answers once all did, or `&id=N` that one, or the time is over; `&until=holding` once they hold their request", (*api).faults},
	{"DELETE", "/v1/faults", "take every armed line away", (*api).disarmAll},
	{"DELETE", "/v1/faults/{id}", "take one away", (*api).disarm},
	{"GET", "/v1/settings", "how the target departs from its profile", (*api).settings},
	{"PUT", "/v1/settings", "other settings, which begin with a new target, as a reset does", (*api).setSettings},
}

// api serves the routes.
type api struct {
	stand Stand
	o     Options
	mux   *http.ServeMux
}

// New returns the API of a stand. A page of another origin may read and change
// nothing through a browser.
func New(s Stand, o Options) http.Handler {
	a := &api{stand: s, o: o, mux: http.NewServeMux()}
	for _, r := range Routes {
		a.mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, q *http.Request) { r.serve(a, w, q) })
	}
	a.mux.HandleFunc("GET /{$}", a.index)
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "a page of another origin may not ask for this")
	}))
	return guard.Handler(http.HandlerFunc(a.route))
}

// route answers what no route is for in the API's own shape.
func (a *api) route(w http.ResponseWriter, r *http.Request) {
	if a.o.Loopback && !local(r.Host) {
		refuse(w, http.StatusForbidden, fmt.Sprintf("the host %q is not this machine: expected localhost or a loopback address", r.Host))
		return
	}
	if _, pattern := a.mux.Handler(r); pattern != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := a.mux.Handler(other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		refuse(w, http.StatusNotFound, fmt.Sprintf("there is no %s here: GET / lists what there is", r.URL.Path))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not for %s: expected %s", r.URL.Path, r.Method, strings.Join(allowed, " or ")))
}

func local(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (a *api) index(w http.ResponseWriter, r *http.Request) {
	t := table{Title: "drill serve " + a.stand.Schedule().Profile, Head: []string{"", "", ""}}
	for _, route := range Routes {
		t.Rows = append(t.Rows, []string{route.Method, route.Path, route.Doc})
	}
	if accepts(r) == "text/html" {
		t.html(w)
		return
	}
	t.text(w)
}

func (a *api) health(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"status": "ok", "profile": a.stand.Schedule().Profile})
}

// known are the words of the vocabulary that the stand carries out, as they are
// written.
func (a *api) known() []string {
	var out []string
	for _, k := range harness.Vocabulary {
		if slices.Contains(a.o.Served, k.Key()) {
			out = append(out, strings.TrimSpace("OP#N "+k.Key()+" "+k.Params.Form()))
		}
	}
	return out
}
