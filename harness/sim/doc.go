// Package sim is the world without sockets, processes and real time. It carries out
// the same schedules as harness/wire, with the same tap and the same targets, through
// an in-memory transport that models net/http, and the same seed gives the same
// bytes of history.
//
//	worker ──(transport)──▶ tap ──▶ target        one goroutine at a time
//
// [New] opens a world; [World.Run] carries out a trial. Workers and the requests that
// are on their way are coroutines: they stop at each boundary, and the engine lets
// one go on. Two are interleaved only where the schedule says so (times, at, hold).
// Time is virtual: an event takes a microsecond, and all other time passes only when
// nobody can go on.
//
// A trial is conducted as on the wire: conduct.go, seat.go, life.go, settle.go. The
// engine (engine.go, fiber.go) says who goes on, the transport (transport.go, call.go,
// body.go, exchange.go) what a client sees.
//
// A worker dies by its handles: once it is killed, its receipts are closed first, and
// then everything that it got in its [worker.Env] answers [worker.ErrDead] and does
// nothing.
//
// What is out of scope: real sockets, processes, TLS, and executors that start
// goroutines or look at the real clock. [World.Run] and the transport refuse these
// with a sentence that names them. An executor that calls runtime.Goexit ends the
// caller of Run. In a [Bubble] workers are goroutines, and may start others (bubble.go
// and what stands beside it).
package sim
