// Package receipt keeps an executor's own durable record of each action: what was
// approved, under which key it was sent, how often, and what became of it.
//
// A [Store] does four things. [Store.Claim] finds or creates the receipt of an
// action in one transaction and takes its lease. [Store.Write] moves a claimed
// receipt along [Transitions] by compare-and-set: it is refused where another
// worker has claimed since ([ErrStale]) and where the table does not list the move
// ([ErrTransition]). [Store.Get] and [Store.ByTrigger] look up.
//
// What a claim means is decided by [Decide], a pure function that every store
// shares. Stores differ in where they keep things: [NewMemory] in a map, the
// package sqlite in one file that several processes share. The package receipttest
// holds the suite that every store passes.
//
// A receipt is evidence, not proof: a missing receipt does not say that nothing
// was sent. A receipt never holds credentials.
package receipt
