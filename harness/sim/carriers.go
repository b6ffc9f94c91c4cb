package sim

import (
	"context"
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
)

// carrier carries out a fault at one exchange of a trial; see [tap.Carrier].
type carrier func(t *trial, x *tap.Exchange, f *harness.Fault) bool

// carriers are the faults at requests and responses, by key.
var carriers = map[string]carrier{
	"request close":       carryCut,
	"request reset":       carryCut,
	"request hang":        carryCut,
	"request cut":         carryCut,
	"request status":      carryInstead,
	"request delay":       carryDelay,
	"request duplicate":   carryDuplicate,
	"request kill":        carryKill,
	"request stop":        carryStop,
	"request cancel":      carryCancel,
	"request hold":        carryHold,
	"response close":      carryCut,
	"response reset":      carryCut,
	"response hang":       carryCut,
	"response truncate":   carryTruncate,
	"response status":     carryInstead,
	"response html":       carryInstead,
	"response delay":      carryDelay,
	"response kill":       carryKill,
	"response stop":       carryStop,
	"response cancel":     carryCancel,
	"response kill-after": carryKillAfter,
	"response pause":      carryPause,
	"response hold":       carryHold,
}

// Carried lists the keys of every fault that this world carries out.
func Carried() []string {
	out := slices.Concat(tap.InTarget, deliver.AtReport, deliver.AtRecord, deliver.AtEvent, deliver.AtName, deliver.AtAck, deliver.AtDelivery)
	out = slices.AppendSeq(out, maps.Keys(carriers))
	slices.Sort(out)
	return out
}

// carried holds the same keys.
var carried = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range Carried() {
		out[k] = true
	}
	return out
}()

// carry finds the carrier of a fault, as it is bound to this trial.
func (t *trial) carry(f *harness.Fault) tap.Carrier {
	key := f.WordKey()
	if c := t.carriers[key]; c != nil {
		return c
	}
	c := carriers[key]
	bound := func(_ context.Context, x *tap.Exchange, f *harness.Fault) bool { return c(t, x, f) }
	t.carriers[key] = bound
	return bound
}
