package main

import (
	"context"
	"fmt"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt/postgres"
	"github.com/retrydrill/drill/harness/receipt/postgres/cluster"
	"github.com/retrydrill/drill/harness/reference"
)

// The values of --receipts.
const (
	inFiles    = "sqlite"
	inPostgres = "postgres"
)

const receiptsUsage = "where a built-in executor keeps its receipts: sqlite, a file in its state directory, or postgres, the server of " + cluster.DSN + " or a private one"

// kept is where built-in executors keep their receipts during a run.
type kept struct {
	// dsn is empty where they are files in the state directories.
	dsn    string
	server *cluster.Server
}

// checkKept refuses a place that does not go with what is run.
func checkKept(where, world string, e harness.Executor) error {
	switch {
	case where == "", where == inFiles:
		return nil
	case where != inPostgres:
		return fmt.Errorf("--receipts is %q: expected %s or %s", where, inFiles, inPostgres)
	case e.Kind != "builtin":
		return fmt.Errorf("--receipts %s is for built-in executors: a worker of your own keeps its records where it wants", where)
	case world != "wire":
		return fmt.Errorf("--receipts %s needs --world wire: a server has a clock of its own", where)
	}
	return nil
}

// keep opens the place, and starts a private server where none is named.
func keep(ctx context.Context, where string) (*kept, error) {
	if where != inPostgres {
		return &kept{}, nil
	}
	s, err := cluster.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("--receipts %s: %w", where, err)
	}
	k := &kept{dsn: s.DSN, server: s}
	// Whether the server answers is better known now than from the first trial.
	if _, err := k.take(""); err != nil {
		return nil, worse(fmt.Errorf("--receipts %s: %w", where, err), s.Stop())
	}
	return k, nil
}

// take returns what was kept for a state directory outside of it, and removes it.
func (k *kept) take(stateDir string) ([]string, error) {
	return postgres.Take(context.Background(), k.dsn, reference.SchemaOf(stateDir))
}

func (k *kept) close() error {
	if k.server == nil {
		return nil
	}
	return k.server.Stop()
}
