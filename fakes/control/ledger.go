package control

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// ledgerAnswer is the ledger as it is read.
type ledgerAnswer struct {
	Profile string           `json:"profile"`
	Effects []harness.Effect `json:"effects"`
}

func (a *api) ledger(w http.ResponseWriter, r *http.Request) {
	v := ledgerAnswer{Profile: a.stand.Schedule().Profile, Effects: a.stand.Effects()}
	if v.Effects == nil {
		v.Effects = []harness.Effect{}
	}
	t := table{Title: fmt.Sprintf("%s: %d effects", v.Profile, len(v.Effects)),
		Head: []string{"effect", "at", "kind", "resource", "operation", "part", "business key", "key", "attempt", ""}}
	for _, e := range v.Effects {
		note := ""
		if e.Foreign {
			note = "a stranger's"
		} else if e.Copy {
			note = "a proxy's copy"
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(e.Seq), e.At.String(), e.Kind, e.Resource, e.Op, e.Part, e.BusinessKey, e.Key,
			strconv.Itoa(e.Attempt), note})
	}
	show(w, r, t, v)
}
