// Package drilltest drills an executor from go test: a fake of the target's profile
// whose effects are counted, and a verdict for each scenario of the catalogue.
//
//	func TestRefundsAreRetrySafe(t *testing.T) {
//		drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refund.Worker})
//	}
//
// [Run] makes one subtest of each scenario. [Explore] strikes every boundary of a run,
// [Check] draws schedules with rapid, [MakeFuzz] lets go test -fuzz draw them. Schedules
// that failed are kept under testdata/drill/ and run first the next time. The second
// line of a failure is the command that repeats it.
//
// A Go executor runs under virtual time, as goroutines in a testing/synctest bubble: a
// back-off of half a minute costs nothing, and one schedule has one history. What can
// not run there is refused with a sentence that names it. [Options].Wire runs it over
// real TCP through an embedded proxy, and Isolate lets it die by a real SIGKILL;
// docs/go-test.md compares them. [Bubbles] is the world of bubbles for schedules of
// one's own.
//
// Of a test it needs nothing but the standard testing package, and it knows no database,
// MCP or container package.
package drilltest
