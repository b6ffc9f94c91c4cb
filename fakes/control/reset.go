package control

import (
	"fmt"
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// resetBody is what a reset may change.
type resetBody struct {
	Seed     *uint64           `json:"seed"`
	Settings *harness.Settings `json:"settings"`
}

func (a *api) reset(w http.ResponseWriter, r *http.Request) {
	var body resetBody
	if _, err := decode(w, r, &body); err != nil {
		return
	}
	a.begin(w, body)
}

// setAnswer is what a target was built with.
type setAnswer struct {
	Seed     uint64           `json:"seed"`
	Settings harness.Settings `json:"settings"`
}

// begin builds the target anew, and answers with what it was built of.
func (a *api) begin(w http.ResponseWriter, body resetBody) {
	s := a.stand.Schedule()
	if body.Seed != nil {
		s.Seed = *body.Seed
	}
	if body.Settings != nil {
		if err := body.Settings.Validate(); err != nil {
			refuse(w, http.StatusUnprocessableEntity, fmt.Sprintf("settings: %s", err))
			return
		}
		s.Settings = *body.Settings
	}
	if err := a.stand.Reset(s); err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	answer(w, http.StatusOK, setAnswer{s.Seed, s.Settings})
}

func (a *api) settings(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, a.stand.Schedule().Settings)
}

func (a *api) setSettings(w http.ResponseWriter, r *http.Request) {
	var settings harness.Settings
	ok, err := decode(w, r, &settings)
	if err != nil {
		return
	}
	if !ok {
		refuse(w, http.StatusBadRequest, "the body holds no settings: expected an object, {} for none")
		return
	}
	a.begin(w, resetBody{Settings: &settings})
}
