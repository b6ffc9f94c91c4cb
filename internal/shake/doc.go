// Shake looks for tests that depend on which goroutine comes first. It builds the tests
// of a package so that each statement of drill's own code, of tests and of what they test,
// may be slow, and runs them under seeds; each seed makes other places slow, the same ones
// each time. A test that is right passes however slow a place is, unless its deadlines are
// nearer than the pauses.
//
//	go run ./internal/shake ./fakes/control
//	go run ./internal/shake -seeds 5 -first 100 -race ./harness/wire -test.run TestStand
//
// What fails is run again with fewer slow places, and those that are left are named: the
// other side came first while one of them was slow. Exit status: 0 nothing failed, 1 a
// test did, 2 it could not be tried.
//
// Tests of how many allocations or how much time something takes, and those that look at
// their own stack, fail for the points alone: leave them out by -test.skip.
package main
