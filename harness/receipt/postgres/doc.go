// Package postgres keeps receipts in a Postgres database that workers on many
// machines share. It means what the package sqlite means; see [receipt.Decide].
//
// A claim is one transaction. It takes advisory locks on what it asks for (the
// action, the intent, a single-use approval) in one order, so that two claims that
// could both begin something wait for each other and others do not; the row locks
// keep a write out while a claim decides. A write is one compare-and-set.
//
// What a write returned from survives the server's crash: synchronous_commit is
// turned on where the server has it off. A server that runs with fsync off loses
// receipts all the same, and no client can change that
// (https://www.postgresql.org/docs/current/wal-async-commit.html).
//
// A session's settings have to hold from one statement to the next, so a pooler
// between has to pool sessions, not transactions. IDs may not contain a NUL, which
// Postgres keeps in no text.
package postgres
