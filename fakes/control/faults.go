package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// maxWait bounds how long one request waits for faults to fire.
const maxWait = 30 * time.Second

// lines is the body that arms.
type lines struct {
	Faults []string `json:"faults"`
}

// unfit is the answer to lines that can not be armed.
type unfit struct {
	Error string `json:"error"`
	// Fault is the line, and Column where it does not parse, from 1.
	Fault  string `json:"fault,omitempty"`
	Column int    `json:"column,omitempty"`
	// Expected lists what can be armed.
	Expected []string `json:"expected,omitempty"`
}

func (a *api) arm(w http.ResponseWriter, r *http.Request) {
	var body lines
	ok, err := decode(w, r, &body)
	if err != nil {
		return
	}
	if !ok || len(body.Faults) == 0 {
		refuse(w, http.StatusBadRequest, `the body holds no fault: expected {"faults": ["create#1 response reset"]}`)
		return
	}
	faults := make([]harness.Fault, len(body.Faults))
	for i, line := range body.Faults {
		if faults[i], err = harness.ParseFault(line); err != nil {
			refused := unfit{Error: err.Error(), Fault: line, Expected: a.known()}
			if bad := (*harness.ParseError)(nil); errors.As(err, &bad) {
				refused.Error, refused.Column = fmt.Sprintf("fault %q: %s", line, bad.Reason), bad.Column
			}
			answer(w, http.StatusUnprocessableEntity, refused)
			return
		}
	}
	if sentence := a.unknown(faults); sentence != "" {
		answer(w, http.StatusUnprocessableEntity, unfit{Error: sentence, Expected: a.known()})
		return
	}
	armed, err := a.stand.Arm(r.Context(), faults)
	var clash *tap.ClashError
	switch {
	case err == nil:
		answer(w, http.StatusCreated, map[string]any{"faults": armed})
	case errors.As(err, &clash):
		answer(w, http.StatusConflict, unfit{Error: err.Error(), Fault: clash.Second.String()})
	case errors.Is(err, tap.ErrNotServed):
		answer(w, http.StatusUnprocessableEntity, unfit{Error: err.Error(), Expected: a.known()})
	default:
		refuse(w, http.StatusServiceUnavailable, err.Error())
	}
}

// unknown names an operation that the profile does not have: a line at it would wait
// for ever.
func (a *api) unknown(faults []harness.Fault) string {
	for _, f := range faults {
		if name := f.NoneOf(a.o.Operations); name != "" {
			return fmt.Sprintf("fault %q: %s has no operation %s: expected %s", f, a.stand.Schedule().Profile, name, strings.Join(a.o.Operations, ", "))
		}
	}
	return ""
}

// armedAnswer says which lines fired.
type armedAnswer struct {
	// AllFired: there is at least one, and each was carried out.
	AllFired bool        `json:"all_fired"`
	Faults   []tap.Armed `json:"faults"`
}

func (a *api) faults(w http.ResponseWriter, r *http.Request) {
	id, wait, until, err := waits(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if id != 0 && !slices.ContainsFunc(a.stand.Armed(), func(f tap.Armed) bool { return f.ID == id }) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("no line %d is armed", id))
		return
	}
	list := a.stand.Armed()
	if wait > 0 {
		ctx, stop := context.WithTimeout(r.Context(), wait)
		defer stop()
		list = a.stand.Await(ctx, id, until)
	}
	if id != 0 {
		list = slices.DeleteFunc(list, func(f tap.Armed) bool { return f.ID != id })
	}
	all := len(list) > 0 && !slices.ContainsFunc(list, func(f tap.Armed) bool { return f.State != tap.Fired })
	answer(w, http.StatusOK, armedAnswer{AllFired: all, Faults: append([]tap.Armed{}, list...)})
}

// waits reads ?wait=D, &id=N and &until=STATE. That a request has come (struck) tells
// nobody, so that it is not waited for.
func waits(r *http.Request) (id int, wait time.Duration, until tap.State, err error) {
	q := r.URL.Query()
	if s := q.Get("wait"); s != "" {
		if wait, err = time.ParseDuration(s); err != nil || wait < 0 || wait > maxWait {
			return 0, 0, 0, fmt.Errorf("wait is %q: expected a duration up to %s, like 5s", s, maxWait)
		}
	}
	if s := q.Get("id"); s != "" {
		if id, err = lineID(s); err != nil {
			return 0, 0, 0, err
		}
	}
	until = tap.Fired
	if s := q.Get("until"); s != "" {
		if err = until.UnmarshalText([]byte(s)); err != nil || until < tap.Holding {
			return 0, 0, 0, fmt.Errorf("until is %q: expected holding or fired", s)
		}
	}
	return id, wait, until, nil
}

func lineID(s string) (int, error) {
	id, err := strconv.Atoi(s)
	if err != nil || id < 1 {
		return 0, fmt.Errorf("id is %q: expected a whole number from 1", s)
	}
	return id, nil
}

func (a *api) disarm(w http.ResponseWriter, r *http.Request) {
	id, err := lineID(r.PathValue("id"))
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	case !a.stand.Disarm(id):
		refuse(w, http.StatusNotFound, fmt.Sprintf("no line %d is armed", id))
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (a *api) disarmAll(w http.ResponseWriter, _ *http.Request) {
	for _, f := range a.stand.Armed() {
		a.stand.Disarm(f.ID)
	}
	w.WriteHeader(http.StatusNoContent)
}
