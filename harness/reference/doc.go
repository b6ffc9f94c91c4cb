// Package reference holds the reference executor: the contract of a retry-safe
// worker written out as code, acting on any profile. A reader may copy from it.
// Beside it stand its careless twins, each the same code with one rule removed.
//
// [Executors] lists them all. [With] builds one from [Rules] and a store.
//
// For each action of a delivery the executor keeps this order:
//
//  1. the policy allows effect and target (allowed.go, policy.go); the arguments are
//     digested and compared with the delivery's digest and the approval's (act.go);
//  2. the receipt is claimed or made in one transaction: what is settled is returned
//     as it is stored, other arguments are refused, what another worker holds is
//     left to it (harness/receipt, Decide);
//  3. "sent" is durable before the request leaves, under a key that is the action ID
//     (send.go, key.go);
//  4. the outcome is classed from evidence, never from prose (heard.go);
//  5. what is unknown is looked up before anything is repeated, and compared with
//     what was approved (resolve.go, look.go).
//
// An effect of several parts is made step by step, each with a receipt and a key of
// its own, and taken back where a later step is refused for good (steps.go, undo.go).
// A life that is handed nothing takes up what earlier ones left (recover.go), and what
// the target tells by itself is a hint to look (notice.go).
//
// No action is attempted more often than the policy says, over all deliveries and
// workers. A worker whose lease was taken over neither acts nor writes. What could
// not be settled in one delivery fails it, so that it is handed over again.
package reference
