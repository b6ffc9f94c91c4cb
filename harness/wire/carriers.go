package wire

import (
	"context"
	"maps"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
)

// carrier carries out a fault at one exchange; see [tap.Carrier].
type carrier func(b *boundary, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool

// carriers are the faults at requests and responses that need no more than the tap
// and the link, by key: a stand carries them out too.
var carriers = map[string]carrier{
	"request close":     carryCut,
	"request reset":     carryCut,
	"request hang":      carryCut,
	"request cut":       carryCut,
	"request status":    carryInstead,
	"request delay":     carryDelay,
	"request duplicate": carryDuplicate,
	"request hold":      carryHold,
	"response close":    carryCut,
	"response reset":    carryCut,
	"response hang":     carryCut,
	"response truncate": carryTruncate,
	"response status":   carryInstead,
	"response html":     carryInstead,
	"response delay":    carryDelay,
	"response hold":     carryHold,
}

// onWorkers are the faults at requests and responses that strike a worker which the
// trial owns, by key.
var onWorkers = map[string]func(t *trial, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool{
	"request kill":        carryKill,
	"request stop":        carryStop,
	"request cancel":      carryCancel,
	"response kill":       carryKill,
	"response stop":       carryStop,
	"response cancel":     carryCancel,
	"response kill-after": carryKillAfter,
	"response pause":      carryPause,
}

// Carried lists the keys of every fault that this world carries out.
func Carried() []string {
	out := slices.Concat(Served(), deliver.AtReport, deliver.AtRecord, deliver.AtEvent, deliver.AtName, deliver.AtAck, deliver.AtDelivery)
	out = slices.AppendSeq(out, maps.Keys(onWorkers))
	slices.Sort(out)
	return out
}

// Served lists the keys of the faults that need no worker of drill's own: those that
// a [Stand] carries out.
func Served() []string {
	out := slices.AppendSeq(slices.Clone(tap.InTarget), maps.Keys(carriers))
	slices.Sort(out)
	return out
}
