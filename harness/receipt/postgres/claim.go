package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/retrydrill/drill/harness/receipt"
)

// A claim's statements, in their order.
const (
	// lock takes the advisory locks in the order of the list, until the commit.
	lock = `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k`
	// find locks rows in one order for everybody. It is a statement of its own, so
	// that it sees what was committed while lock waited.
	find = `SELECT receipt FROM drill_receipts WHERE action_id = $1 OR (trigger_key = $2 AND digest = $3) ORDER BY seq FOR UPDATE`

	insert = `INSERT INTO drill_receipts (action_id, trigger_key, digest, state, fence, receipt) VALUES ($1, $2, $3, $4, $5, $6)`
	update = `UPDATE drill_receipts SET trigger_key = $2, digest = $3, state = $4, fence = $5, receipt = $6 WHERE action_id = $1 AND fence < $5`
	use    = `INSERT INTO drill_approvals (approval_id, action_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
)

// Claim is as [receipt.Store] says: one transaction, one commit.
func (s *Store) Claim(ctx context.Context, c receipt.Claim) (receipt.Receipt, bool, error) {
	var d receipt.Decision
	err := s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) (err error) {
		d, err = decide(ctx, conn, c)
		return err
	})
	if err != nil {
		return receipt.Receipt{}, false, s.fail("claim", err)
	}
	return d.Receipt, d.Fresh, nil
}

// decide begins with what it reads and commits after what it writes: three round
// trips in all.
func decide(ctx context.Context, conn *pgxpool.Conn, c receipt.Claim) (d receipt.Decision, err error) {
	var found *receipt.Receipt
	var by string
	results := conn.SendBatch(ctx, look(c, &found, &by))
	tx := results.Tx()
	// What was begun ends even where the caller has given up.
	defer tx.Rollback(context.WithoutCancel(ctx))
	if err := results.Close(); err != nil {
		return d, err
	}
	if d, err = receipt.Decide(c, found, by); err != nil || !d.Write {
		return d, err
	}
	if err := put(ctx, tx, d); err != nil {
		return d, err
	}
	return d, tx.Commit(ctx)
}

// look begins a transaction that finds the claim's own receipt, or the first that
// is alike, and who used its approval.
func look(c receipt.Claim, found **receipt.Receipt, by *string) *pgx.Batch {
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	b.Queue(lock, locks(c))
	b.Queue(find, c.ActionID, c.TriggerKey, c.Digest).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, decoded)
		*found = choose(c, all)
		return err
	})
	b.Queue(usedBy, c.Approval.ID).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(by); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	return b
}

func choose(c receipt.Claim, all []receipt.Receipt) *receipt.Receipt {
	i := slices.IndexFunc(all, func(r receipt.Receipt) bool { return r.ActionID == c.ActionID })
	if i < 0 {
		i = slices.IndexFunc(all, c.Alike)
	}
	if i < 0 {
		return nil
	}
	return &all[i]
}

func put(ctx context.Context, tx pgx.Tx, d receipt.Decision) error {
	r := d.Receipt
	text, err := receipt.Encode(r)
	if err != nil {
		return err
	}
	statement := update
	if d.Fresh {
		statement = insert
	}
	b := &pgx.Batch{}
	if d.Uses != "" {
		b.Queue(use, d.Uses, r.ActionID)
	}
	b.Queue(statement, r.ActionID, r.TriggerKey, r.Digest, string(r.State), r.Fence, string(text))
	results := tx.SendBatch(ctx, b)
	defer results.Close()
	for range b.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	if done, err := results.Exec(); err != nil || done.RowsAffected() == 1 {
		return err
	}
	return fmt.Errorf("%w: %s changed while it was claimed", receipt.ErrStale, r.ActionID)
}

// locks names what two claims must not both decide on, in one order for everybody.
// The numbers are in the database's one space of advisory locks; a collision makes
// somebody wait and does nothing else.
func locks(c receipt.Claim) []int64 {
	keys := []int64{hashed("action", c.ActionID), hashed("intent", c.TriggerKey, c.Digest)}
	if c.Approval.SingleUse {
		keys = append(keys, hashed("approval", c.Approval.ID))
	}
	slices.Sort(keys)
	return keys
}

func hashed(parts ...string) int64 {
	h := fnv.New64a()
	for _, p := range append([]string{"drill"}, parts...) {
		_, _ = io.WriteString(h, p+"\x00")
	}
	return int64(h.Sum64())
}
