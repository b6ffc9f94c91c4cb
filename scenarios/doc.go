// Package scenarios is the catalogue: one YAML file a scenario, each a story of
// one or two sentences and the trials that act it out. [All] lists them in the
// order a reader wants, [Needs] says what a trial may ask of target and executor.
//
// A scenario says nothing about what is right: the invariants judge each trial
// alike, and nobody but the report reads a scenario's name.
package scenarios
