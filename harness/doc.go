// Package harness holds what every part of drill speaks about: an [Action] and
// its [Approval], the [Fault] grammar, the [Schedule] that decides a trial, the
// [Event] and [History] that record it, the [Promises] of a target as data, and
// the [Verdict] that a judged history gets.
//
// The loop is
//
//	schedule → world runs workers → boundary → decision → history → invariants → verdict
//
// and this package is its vocabulary alone. The parts that carry it out live
// below: harness/tap asks a [Decider] at each boundary, harness/wire is the
// world of real sockets and processes, harness/worker starts executors,
// harness/check judges a history, harness/suite runs a catalogue.
//
// The package imports neither net/http nor testing, and nothing of drill.
package harness
