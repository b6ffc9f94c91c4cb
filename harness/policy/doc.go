// Package policy is the retry policy as a document, outside any prompt and any
// code: which move follows which outcome of an attempt, how often, for how long,
// and how far apart.
//
// A target's profile says what its answers mean ([harness.Promises]). The policy
// says what follows, and the table [Mishaps] what happened where there was no
// answer. A policy may make a class stricter, never laxer ([Stricter]).
//
// [Parse] reads a document and tells each mistake with line and column; Schema is
// its JSON Schema. Package lint says what is unsafe in one by inspection.
package policy
