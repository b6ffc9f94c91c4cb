package reference

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/postgres"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
	"github.com/retrydrill/drill/harness/worker"
)

// File is the name of the receipt database in a state directory.
const File = "receipts.db"

// The world looks through what is kept in memory.
var _ worker.Shown = (*receipt.Memory)(nil)

// OpenStore opens the receipts of an executor's life.
type OpenStore func(env *worker.Env) (receipt.Store, error)

// InFile keeps receipts in the state directory, shared by all workers on it; where
// [worker.Env.Receipts] names a database, there in a schema of the directory's own.
func InFile(env *worker.Env) (receipt.Store, error) {
	if env.Memory != nil {
		kept := env.Memory.Keep(File, func() any { return receipt.NewMemory() })
		return receipt.Guarded(kept.(*receipt.Memory), env.Memory), nil
	}
	if env.Receipts != "" {
		return postgres.OpenIn(context.Background(), env.Receipts, SchemaOf(env.StateDir))
	}
	return sqlite.Open(context.Background(), filepath.Join(env.StateDir, File))
}

// SchemaOf names the schema that stands for a state directory in a database.
func SchemaOf(stateDir string) string {
	return "drill_" + strings.TrimPrefix(harness.Digest([]byte(stateDir)), "sha256:")[:24]
}

// InMemory keeps receipts for one life alone: to measure what durable ones cost,
// and to show what an executor without them forgets.
func InMemory(*worker.Env) (receipt.Store, error) { return receipt.NewMemory(), nil }
