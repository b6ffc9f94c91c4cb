// Package drilltest drills an executor from go test: real TCP through an embedded
// proxy, a fake of the target's profile whose effects are counted, and a verdict for
// each scenario of the catalogue.
//
//	func TestRefundsAreRetrySafe(t *testing.T) {
//		drilltest.Run(t, drilltest.Options{Target: "stripe-v1", New: refund.Worker, Isolate: true})
//	}
//
// [Run] makes one subtest of each scenario. [Explore] strikes every boundary of a run,
// [Check] draws schedules with rapid, [MakeFuzz] lets go test -fuzz draw them. Schedules that failed are kept under testdata/drill/ and run
// first the next time. The second line of a failure is the command that repeats it.
//
// It needs nothing but the standard testing package, and knows no database, MCP or
// container package.
package drilltest
