// Package worker starts executors. A [Runner] hands them deliveries: [InProcess] to a Go
// function, [Exec] to a process of any language that speaks the one-page worker protocol
// of docs/worker-protocol.md, [Serve] to a process that stays and is asked over HTTP
// (docs/served-workers.md). [Child] is the other side of [Exec], for built-in executors.
//
// A process runs in a group of its own and ends with all that it started: process.go,
// and group, ended, stand and strays by system. The talk about an executor's own writes
// is recordpipe.go, and said_unix.go tells when all that it has printed was read.
package worker
