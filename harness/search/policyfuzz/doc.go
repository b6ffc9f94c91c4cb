// Package policyfuzz draws retry policies and holds two judges of them against each
// other: package lint, which reads a document, and the search, which lets an executor
// follow it.
//
// [Policies] is the generator. [Arena.Judge] asks both judges about one policy at one
// target: lint finds nothing, so no schedule may break it; lint finds something, so a
// schedule that breaks it must be found, unless the rule is one of [Unshown], whose
// harm no schedule of one action shows. [Fuzz] is the loop.
package policyfuzz
