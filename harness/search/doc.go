// Package search finds schedules that nobody thought of. [Explore] discovers the
// boundaries of a fault-free run, strikes each with every fault that makes sense
// there, then every pair, alone and with two workers interleaved at boundaries, and
// states the size of the space: what ran, what was pruned and why, what was not run.
//
// A fault is only put behind the last one that struck: where it changes what the
// executor does, new boundaries appear in the run and are struck in their turn, and
// no pair is tried in both orders.
//
// [Shrink] makes a failing schedule as short as it gets. [Merge] puts the parts of a
// search together.
//
// What is struck with is listed in menu.go, and under which conditions of the target in
// condition.go. What is left out is listed with the reason: [NotTried], [NotSet], and
// [Pairs], of which one shows nothing beside the other.
package search
