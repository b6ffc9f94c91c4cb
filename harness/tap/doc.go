// Package tap stands between workers and the target. It knows what crosses: it
// names the operation, numbers the attempt, says whose it is, records it, and
// asks the schedule what happens there, at the request, inside the target and at
// the response. How a fault is carried out is the world's.
//
// A [Handler] carries each [Exchange]: handler.go is its way, exchange.go what stands
// ready of it, body.go what it carries. It asks the [Session] of its trial, which counts
// (tally.go, tallies.go, crossed.go), finds the line that strikes (lines.go, and
// armed.go where lines are armed while a target is served) and writes to the [Recorder],
// which keeps the target's token out (secret.go) and wakes who waits for an event
// (waiting.go). A [Protocol] stands in for HTTP.
package tap
