// Package selftest measures drill: it runs every mutant and every safe twin of
// harness/reference over the catalogue, and holds what was convicted, and by what,
// against what each mutant stands for.
//
// A mutant counts as caught where the invariant that is meant for it convicts it in
// the scenario that is meant to show it, and once more in a second place: another
// scenario, or a schedule that a search found. Its twin has to be cleared there.
package selftest
