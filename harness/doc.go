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
// below: harness/tap asks the schedule at each boundary, harness/wire is the
// world of real sockets and processes and harness/sim the one in memory,
// harness/deliver is the queue of both, harness/worker starts executors,
// harness/check judges a history, harness/suite runs a catalogue, harness/search
// looks for schedules, harness/report tells what was found.
//
// A fault is one line: fault.go holds it, vocabulary.go its words, fault_parse.go and
// fault_params.go read it, fault_spell.go writes it. Arguments are read by values.go,
// written by canonical.go and changed by pointer.go.
//
// The package imports neither net/http nor testing, and nothing of drill but a memory
// (internal/memo).
package harness
