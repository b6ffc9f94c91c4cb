package control

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// Attempt is one request as it crossed the tap.
type Attempt struct {
	// Attempt numbers the requests since the last reset, N those of the operation.
	Attempt int              `json:"attempt"`
	At      harness.Duration `json:"at"`
	Op      string           `json:"op,omitempty"`
	N       int              `json:"n,omitempty"`
	Method  string           `json:"method"`
	Path    string           `json:"path"`
	// Key, BusinessKey, Reference and Resource are what the profile reads in it.
	Key         string `json:"key,omitempty"`
	BusinessKey string `json:"business_key,omitempty"`
	Reference   string `json:"reference,omitempty"`
	Resource    string `json:"resource,omitempty"`
	// Conn numbers the connections; Warm: it had carried a request before.
	Conn int  `json:"conn"`
	Warm bool `json:"warm,omitempty"`
	// Copies counts what a proxy sent again.
	Copies int `json:"copies,omitempty"`
	// TargetStatus is what the target answered, Status what left for the caller; both
	// are 0 where there was no answer. Lost: none will leave.
	TargetStatus int  `json:"target_status,omitempty"`
	Status       int  `json:"status,omitempty"`
	Lost         bool `json:"lost,omitempty"`
	// Effects are the entries of the ledger that it made.
	Effects []int `json:"effects,omitempty"`
	// Faults are the armed lines that were carried out at it.
	Faults []string `json:"faults,omitempty"`
}

// fold makes attempts of events.
func fold(events []harness.Event, armed []tap.Armed) []Attempt {
	out := []Attempt{}
	for _, e := range events {
		if e.Kind == harness.EvRequest && !e.Copy {
			out = append(out, Attempt{Attempt: e.Attempt, At: e.At, Op: e.Op, N: e.N, Method: e.Method, Path: e.Path, Key: e.Key,
				BusinessKey: e.BusinessKey, Reference: e.Reference, Resource: e.Resource, Conn: e.Conn, Warm: e.Warm})
		}
	}
	// Two requests can have been recorded in another order than they were numbered.
	slices.SortFunc(out, func(a, b Attempt) int { return a.Attempt - b.Attempt })
	at := func(n int) *Attempt {
		if i, ok := slices.BinarySearchFunc(out, n, func(a Attempt, n int) int { return a.Attempt - n }); ok {
			return &out[i]
		}
		// Planted, or a request that is just being recorded.
		return &Attempt{}
	}
	for _, e := range events {
		a := at(e.Attempt)
		switch e.Kind {
		case harness.EvRequest:
			if e.Copy {
				a.Copies++
			}
		case harness.EvAnswer:
			a.TargetStatus = e.Status
		case harness.EvPassed:
			a.Status = e.Status
		case harness.EvLost:
			a.Lost = true
		case harness.EvEffect:
			a.Effects = append(a.Effects, e.Effect.Seq)
		}
	}
	for _, line := range armed {
		for _, n := range line.Attempts {
			a := at(n)
			a.Faults = append(a.Faults, line.Fault.String())
		}
	}
	return out
}

func (a *api) attempts(w http.ResponseWriter, r *http.Request) {
	from, ok := after(w, r)
	if !ok {
		return
	}
	list := slices.DeleteFunc(fold(a.stand.Events(), a.stand.Armed()), func(x Attempt) bool { return x.Attempt <= from })
	t := table{Title: fmt.Sprintf("%s: %d requests", a.stand.Schedule().Profile, len(list)),
		Head: []string{"attempt", "at", "operation", "request", "key", "target", "answer", "effects", "faults"}}
	for _, x := range list {
		status := strconv.Itoa(x.Status)
		if x.Lost {
			status = "lost"
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(x.Attempt), x.At.String(), fmt.Sprintf("%s#%d", x.Op, x.N), x.Method + " " + x.Path, x.Key,
			strconv.Itoa(x.TargetStatus), status, strings.Trim(fmt.Sprint(x.Effects), "[]"), strings.Join(x.Faults, "; ")})
	}
	show(w, r, t, map[string]any{"attempts": list})
}

func (a *api) history(w http.ResponseWriter, r *http.Request) {
	from, ok := after(w, r)
	if !ok {
		return
	}
	events := a.stand.Events()
	answer(w, http.StatusOK, map[string]any{"events": append([]harness.Event{}, events[min(from, len(events)):]...)})
}
