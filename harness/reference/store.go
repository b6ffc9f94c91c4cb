package reference

import (
	"context"
	"path/filepath"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
	"github.com/retrydrill/drill/harness/worker"
)

// File is the name of the receipt database in a state directory.
const File = "receipts.db"

// OpenStore opens the receipts of an executor's life.
type OpenStore func(env worker.Env) (receipt.Store, error)

// InFile keeps receipts in the state directory, shared by all workers on it.
func InFile(env worker.Env) (receipt.Store, error) {
	if env.Memory != nil {
		kept := env.Memory.Keep(File, func() any { return receipt.NewMemory() })
		return receipt.Guarded(kept.(*receipt.Memory), env.Memory.Alive), nil
	}
	return sqlite.Open(context.Background(), filepath.Join(env.StateDir, File))
}

// InMemory keeps receipts for one life alone: to measure what durable ones cost,
// and to show what an executor without them forgets.
func InMemory(worker.Env) (receipt.Store, error) { return receipt.NewMemory(), nil }
