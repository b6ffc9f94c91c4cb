// Package fakes impersonates the target that a profile describes: real HTTP, real
// idempotency keys, and an append-only ledger of every effect, which is the only
// oracle of a trial and out of the executor's reach.
//
// One engine is driven by the profile: who may ask, which parameters are lawful,
// how keys are kept and replayed, what an error looks like. What the objects are
// and when a write is refused by the state of the world is a domain (refunds.go,
// records.go, zone.go).
//
// A trial's settings change the engine's ways (ways.go), at the door (door.go), later
// (due.go) or by what strangers do (strangers.go). An effect of several parts has an
// entry in the ledger for each; an undo takes back all that its object stands for
// (undo.go). What a target tells by itself goes to [Fake.Tell].
//
// The engine holds no lock while it works between the claim of a key and the commit,
// be it that a schedule has it wait there or that its latency is set. Time is the
// world's. Everything that it draws comes from the seed.
//
// A search runs hundreds of thousands of trials, so a fake can be made new and used
// again ([Fake.Reset], target.go), a request that was read in one trial is not read in
// the next (remember.go), few objects are kept without an index (store.go), and a
// refund is written straight into bytes (refunds_json.go).
package fakes
