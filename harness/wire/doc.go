// Package wire is the world of real sockets, real processes and real clocks. It
// carries out a schedule: each worker reaches the target through a Toxiproxy of
// its own and through the tap, and every fault is carried out at one exact place.
//
//	worker ──TCP──▶ Toxiproxy (embedded; one proxy a slot) ──▶ tap ──▶ target
package wire
