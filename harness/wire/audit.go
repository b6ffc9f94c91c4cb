package wire

import (
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
)

// audit compares the ledger with what was recorded, and looks for the token in the
// state that the worker kept.
func (t *trial) audit() error {
	seen := 0
	for _, e := range t.session.Snapshot() {
		if e.Kind == harness.EvEffect {
			seen++
		}
	}
	// What a request that is still there commits may be in one of the two alone.
	if n := len(t.target.Effects()); n != seen && !t.loose {
		return fmt.Errorf("the ledger holds %d effects and the record %d", n, seen)
	}
	files, leaks, err := deliver.Files(t.base, t.session.Leaks)
	if leaks {
		t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the state directory)"})
	}
	elsewhere, terr := t.take()
	t.session.Add(harness.Event{Kind: harness.EvState, N: files + elsewhere})
	return errors.Join(err, terr)
}

// take looks through what was kept outside the state directories, and removes it.
func (t *trial) take() (kept int, err error) {
	if t.w.o.Receipts == "" {
		return 0, nil
	}
	for n := range t.dirs {
		texts, terr := t.w.o.Take(t.stateDirAt(n + 1))
		for _, text := range texts {
			if t.session.Leaks(text) {
				t.session.Add(harness.Event{Kind: harness.EvLeak, Note: "a receipt (the database)"})
			}
		}
		kept, err = kept+len(texts), errors.Join(err, terr)
	}
	return kept, err
}
