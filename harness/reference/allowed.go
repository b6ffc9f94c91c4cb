package reference

import (
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness/worker"
)

// allowed refuses an action before anything is recorded of it: an effect or a target
// that the policy does not list. An action names exactly what it changes; nothing is
// guessed for it.
func (x *executor) allowed(a *worker.JobAction) error {
	list := x.policy.Allow
	switch {
	case len(list.Effects) > 0 && !slices.Contains(list.Effects, a.Effect):
		return fmt.Errorf("the policy allows no effect %q", a.Effect)
	case len(list.Targets) > 0 && !slices.Contains(list.Targets, x.promises.Profile):
		return fmt.Errorf("the policy allows no effect at %s", x.promises.Profile)
	}
	return nil
}
