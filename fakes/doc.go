// Package fakes impersonates the target that a profile describes: real HTTP, real
// idempotency keys, and an append-only ledger of every effect, which is the only
// oracle of a trial and out of the executor's reach.
//
// One engine is driven by the profile: who may ask, which parameters are lawful,
// how keys are kept and replayed, what an error looks like. What the objects are
// and when a write is refused by the state of the world is a domain (refunds).
//
// The engine never sleeps and holds no lock while a schedule has it wait between
// the claim of a key and the commit. Everything that it draws comes from the seed.
package fakes
