package reference

import (
	"context"

	"github.com/retrydrill/drill/harness/receipt"
)

// missEvidence marks what can not be told: the receipt is new and the delivery is
// not, so that an earlier life may have sent and its receipt be gone with the
// database; and nothing at this target tells, neither a kept key nor an authoritative
// look-up nor a name that is given once. Missing evidence is not failure, so that goes
// to a person once a look-up found nothing.
//
// Another receipt of the same trigger shows that the database of the earlier
// deliveries is still this one, and then there was none.
func (w *work) missEvidence(ctx context.Context, fresh bool) error {
	if !fresh || w.job.Delivery < 2 || !w.rules.Reconcile || w.tells() {
		return nil
	}
	known, err := w.store.ByTrigger(ctx, w.r.TriggerKey)
	if err != nil {
		return err
	}
	for _, r := range known {
		if r.ActionID != w.r.ActionID && r.History[0].At.Before(w.r.History[0].At) {
			return nil
		}
	}
	w.missing = true
	if w.r.State != receipt.Approved {
		return nil
	}
	return w.to(ctx, receipt.Unknown)
}

// tells reports whether the target itself keeps a repeat from making a second effect,
// or can prove that there was none.
func (w *work) tells() bool {
	p := &w.promises
	return w.keyHolds() || p.UniqueNames || p.ClientIDs || p.ProvesAbsence()
}
