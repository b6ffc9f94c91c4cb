package drilltest_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/drilltest"
	"github.com/retrydrill/drill/harness/worker"
)

// inDatabase is an executor that keeps its notes with database/sql, each life with a
// handle of its own.
type inDatabase struct {
	refunds
	// across keeps one transaction open across the request.
	across bool
}

const notes = `CREATE TABLE IF NOT EXISTS notes (action TEXT PRIMARY KEY, trigger TEXT UNIQUE, digest TEXT NOT NULL, report TEXT)`

func (d inDatabase) worker(env worker.Env) (worker.Func, func() error, error) {
	db, err := sql.Open("sqlite", filepath.Join(env.StateDir, "notes.db")+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, nil, err
	}
	if _, err := db.Exec(notes); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return func(ctx context.Context, env worker.Env, job worker.Job, report func(harness.Report)) error {
		for _, a := range job.Actions {
			out, err := d.one(ctx, db, env, job, a)
			if err != nil {
				return err
			}
			out.ActionID = a.ActionID
			report(out)
		}
		return nil
	}, db.Close, nil
}

func (d inDatabase) one(ctx context.Context, db *sql.DB, env worker.Env, job worker.Job, a worker.JobAction) (out harness.Report, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return out, err
	}
	defer tx.Rollback()
	kept, digest := sql.NullString{}, ""
	_, err = tx.ExecContext(ctx, `INSERT INTO notes (action, trigger, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, a.ActionID, job.TriggerKey, a.ArgumentsSHA256)
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT action, digest, report FROM notes WHERE action = ? OR trigger = ?`, a.ActionID, job.TriggerKey).Scan(&a.ActionID, &digest, &kept)
	}
	switch {
	case err != nil:
		return out, err
	case digest != a.ArgumentsSHA256:
		return harness.Report{Outcome: harness.Rejected, ErrorClass: harness.ArgumentsChanged}, nil
	case kept.Valid:
		return out, json.Unmarshal([]byte(kept.String), &out)
	}
	if !d.across {
		if err := tx.Commit(); err != nil {
			return out, err
		}
	}
	if out, err = d.send(ctx, env, a); err != nil {
		out, err = d.find(ctx, env, a)
	}
	if err != nil {
		return out, err
	}
	b, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	const done = `UPDATE notes SET report = ? WHERE action = ?`
	if d.across {
		_, err = tx.ExecContext(ctx, done, string(b), a.ActionID)
		return out, errors.Join(err, tx.Commit())
	}
	_, err = db.ExecContext(ctx, done, string(b), a.ActionID)
	return out, err
}

// TestReceiptsInADatabase: SQLite in a file, through database/sql, runs in a bubble as
// it is. A death rolls back what is open.
func TestReceiptsInADatabase(t *testing.T) {
	for name, across := range map[string]bool{"in two transactions": false, "in one": true} {
		t.Run(name, func(t *testing.T) {
			drilltest.Run(t, drilltest.Options{New: inDatabase{refunds{key: actionID}, across}.worker, Abilities: plain,
				Scenarios: append([]string{"two-at-once", "redelivered-early"}, quick...)})
		})
	}
}
