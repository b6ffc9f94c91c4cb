// Package receipt keeps an executor's own durable record of each action: what was
// approved, under which key it was sent, how often, and what became of it.
//
// A [Store] does four things. [Store.Claim] finds or creates the receipt of an
// action in one transaction and takes its lease. [Store.Write] moves a claimed
// receipt along [Transitions] by compare-and-set: it is refused where another
// worker has claimed since ([ErrStale]) and where the table does not list the move
// ([ErrTransition]). [Store.Get] and [Store.ByTrigger] look up.
//
// [Books] is what an operator does beside the executors at work: read everything, and
// move into the archive what nothing can bring again. [Retention] says when that is:
// the longest declared replay path, counted from the receipt's latest time, decides,
// and a path that is not declared lets nothing go. What is not terminal stays. The
// archive still answers: a replay that comes later than was declared meets its
// receipt there.
//
// What a claim means is decided by [Decide], a pure function that every store
// shares. Stores differ in where they keep things: [NewMemory] in memory, the
// package sqlite in one file that several processes share, the package postgres in a
// database for many machines. The package receipttest holds the suite that every
// store passes. A store of an older schema version is migrated whole or not at all, a
// newer one is refused with [ErrNewer].
//
// A receipt is evidence, not proof: a missing receipt does not say that nothing
// was sent. A receipt never holds credentials.
package receipt
