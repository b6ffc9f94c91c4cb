package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// BenchmarkLife is a receipt's whole life (three commits) beside the four bare
// commits of its four states, in turns on one server.
func BenchmarkLife(b *testing.B) {
	s := opened(b, empty(b))
	defer s.Close()
	bare := bareTable(b)
	receipttest.InTurns(b, func(n int) error { return receipttest.Life(b.Context(), s, n) },
		func(n int) error { return bareLife(b.Context(), bare, n) })
}

// BenchmarkContention is eight workers that each try to claim the same forty
// receipts, whose leases are over, beside the same by hand with SELECT … FOR UPDATE
// SKIP LOCKED: 320 tries, of which 40 get a lease.
func BenchmarkContention(b *testing.B) {
	s := opened(b, empty(b))
	defer s.Close()
	bare := bareTable(b)
	for a := range contested {
		_, _, err := s.Claim(b.Context(), receipttest.NewClaim(fmt.Sprint(a), 1))
		require.NoError(b, err)
		_, err = bare.Exec(b.Context(), insertBare, fmt.Sprint(a), arguments)
		require.NoError(b, err)
	}
	receipttest.InTurns(b, func(n int) error {
		return crowd(func(a int) (bool, error) {
			c := receipttest.NewClaim(fmt.Sprint(a), 1)
			c.Now = receipttest.Start.Add(time.Duration(n+1) * receipttest.Lease)
			_, _, err := s.Claim(b.Context(), c)
			if errors.Is(err, receipt.ErrHeld) {
				return false, nil
			}
			return err == nil, err
		})
	}, func(n int) error {
		return crowd(func(a int) (bool, error) { return bareClaim(b.Context(), bare, fmt.Sprint(a), n+1) })
	})
}

const (
	bareSchema = "CREATE TABLE bare (action_id text PRIMARY KEY, state text NOT NULL, arguments text NOT NULL, lease int NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0)"
	insertBare = "INSERT INTO bare VALUES ($1, 'prepared', $2)"
	updateBare = "UPDATE bare SET state = $1 WHERE action_id = $2"
	selectBare = "SELECT lease FROM bare WHERE action_id = $1 FOR UPDATE SKIP LOCKED"
	leaseBare  = "UPDATE bare SET lease = $1, fence = fence + 1 WHERE action_id = $2"
	arguments  = `{"amount":1099,"charge":"ch_1"}`

	workers, contested = 8, 40
)

// bareTable returns a pool with one bare table, under the settings of the store.
func bareTable(b *testing.B) *pgxpool.Pool {
	pool, _, err := connect(b.Context(), empty(b), "")
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	_, err = pool.Exec(b.Context(), bareSchema)
	require.NoError(b, err)
	return pool
}

func bareLife(ctx context.Context, pool *pgxpool.Pool, n int) error {
	id := fmt.Sprint(n)
	if _, err := pool.Exec(ctx, insertBare, id, arguments); err != nil {
		return err
	}
	for _, s := range []receipt.State{receipt.Approved, receipt.Sent, receipt.Confirmed} {
		if _, err := pool.Exec(ctx, updateBare, string(s), id); err != nil {
			return err
		}
	}
	return nil
}

// bareClaim takes the lease of a round unless somebody has it or is about to.
func bareClaim(ctx context.Context, pool *pgxpool.Pool, id string, round int) (won bool, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var lease int
		err := tx.QueryRow(ctx, selectBare, id).Scan(&lease)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && lease == round {
			return nil
		}
		if err != nil {
			return err
		}
		won = true
		_, err = tx.Exec(ctx, leaseBare, round, id)
		return err
	})
	return won, err
}

// crowd lets each worker try each action, starting from a place of its own, and
// requires that each is won once.
func crowd(try func(action int) (bool, error)) error {
	var all sync.WaitGroup
	var won atomic.Int32
	failed := make(chan error, workers*contested)
	for w := range workers {
		all.Go(func() {
			for i := range contested {
				got, err := try((i + w*contested/workers) % contested)
				if err != nil {
					failed <- err
				}
				if got {
					won.Add(1)
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	if n := won.Load(); n != contested {
		return fmt.Errorf("%d leases were given, expected %d", n, contested)
	}
	return nil
}
