// Package wire is the world of real sockets, real processes and real clocks. It
// carries out a schedule: each worker reaches the target through a Toxiproxy of
// its own and through the tap, and every fault is carried out at one exact place.
//
//	worker ──TCP──▶ Toxiproxy (embedded; one proxy a slot) ──▶ tap ──▶ target
//
// [World.Run] carries out a trial: conductor.go hands over what is due to the workers in
// their seats (seat.go, handover.go, hearing.go), settle.go waits for what is on its way,
// audit.go holds the record against the ledger. A slot (slot.go, conn.go, fence.go) is
// proxy, port and the tap's server, and is used by one trial after the other. Carriers
// are found in carriers.go, one file a kind.
//
// A [Stand] is one slot with no worker: a target that is served, with lines that are
// armed while it runs (arming.go).
package wire
