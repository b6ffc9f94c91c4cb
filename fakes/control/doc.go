// Package control is the API beside a fake that is served: a test suite in any
// language reads the ledger and what crossed the tap, arms faults, changes settings
// and begins anew. It has a port of its own, so that nothing in it can be taken for
// the target.
//
// Start at [New]; [Routes] lists what there is.
package control
