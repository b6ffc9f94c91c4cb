package sim

import (
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// settle ends what the trial started.
func (t *trial) settle() error {
	t.ctx.end()
	if t.bubble != nil {
		return t.bubble.finish()
	}
	var err error
	for _, s := range t.seats {
		err = errors.Join(err, s.runner.Close())
	}
	return err
}

// audit compares the ledger with what was recorded, and looks for the token in what
// the workers kept.
func (t *trial) audit() error {
	if n, seen := len(t.target.Effects()), t.session.Effects(); n != seen {
		return fmt.Errorf("the ledger holds %d effects and the record %d", n, seen)
	}
	files := 0
	for _, d := range t.kept {
		n, leaks, err := t.look(d)
		if err != nil {
			return err
		}
		files += n
		if leaks {
			t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the state directory)"})
		}
	}
	e := t.session.New()
	e.Kind, e.N = harness.EvState, files
	t.session.Done(e)
	return nil
}
