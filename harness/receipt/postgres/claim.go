package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retrydrill/drill/harness/receipt"
)

// A claim's statements, in their order.
const (
	// lock takes the advisory locks in the order of the list, until the commit.
	lock = `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k`
	// find and findArchived lock rows in one order for everybody. They are statements
	// of their own, so that they see what was committed while lock waited, and the
	// second what was archived while the first did.
	find         = `SELECT seq, receipt FROM drill_receipts WHERE action_id = $1 OR (trigger_key = $2 AND digest = $3) ORDER BY seq FOR UPDATE`
	findArchived = `SELECT seq, receipt FROM drill_archive WHERE action_id = $1 OR (trigger_key = $2 AND digest = $3) ORDER BY seq FOR UPDATE`

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

// decide begins with what it reads and commits with what it writes: two round trips
// in all.
func decide(ctx context.Context, conn *pgxpool.Conn, c receipt.Claim) (d receipt.Decision, err error) {
	// What was begun ends even where the caller has given up.
	defer func() { err = errors.Join(err, end(context.WithoutCancel(ctx), conn.Conn())) }()
	found, by, err := look(ctx, conn, c)
	if err != nil {
		return d, err
	}
	r, archived := choose(c, found)
	if d, err = receipt.Decide(c, r, by); err != nil || !d.Write {
		return d, err
	}
	return d, put(ctx, conn, d, archived)
}

// end rolls back what was neither committed nor rolled back.
func end(ctx context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	_, err := conn.Exec(ctx, "rollback")
	return err
}

// candidate is a receipt that a claim may be about.
type candidate struct {
	row
	archived bool
}

// look begins a transaction that finds the claim's own receipt, those that may be
// alike, and who used its approval.
func look(ctx context.Context, conn *pgxpool.Conn, c receipt.Claim) (found []candidate, by string, err error) {
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lock, locks(c))
	for _, archived := range []bool{false, true} {
		query := find
		if archived {
			query = findArchived
		}
		b.Queue(query, c.ActionID, c.TriggerKey, c.Digest).Query(func(rows pgx.Rows) error {
			all, err := pgx.CollectRows(rows, numbered)
			for _, r := range all {
				found = append(found, candidate{r, archived})
			}
			return err
		})
	}
	b.Queue(usedBy, c.Approval.ID).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&by); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	err = conn.SendBatch(ctx, b).Close()
	return found, by, err
}

// choose takes the claim's own receipt, else the first that is alike.
func choose(c receipt.Claim, all []candidate) (r *receipt.Receipt, archived bool) {
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.seq, b.seq) })
	i := slices.IndexFunc(all, func(r candidate) bool { return r.ActionID == c.ActionID })
	if i < 0 {
		i = slices.IndexFunc(all, func(r candidate) bool { return c.Alike(r.Receipt) })
	}
	if i < 0 {
		return nil, false
	}
	return &all[i].Receipt, all[i].archived
}

// put writes the decision and commits. A statement that fails keeps the server from
// those behind it, the commit among them.
func put(ctx context.Context, conn *pgxpool.Conn, d receipt.Decision, archived bool) error {
	r := d.Receipt
	text, err := receipt.Encode(r)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	if archived {
		b.Queue(restore, r.ActionID)
	}
	if d.Uses != "" {
		b.Queue(use, d.Uses, r.ActionID)
	}
	statement, written := update, int64(0)
	if d.Fresh {
		statement = insert
	}
	b.Queue(statement, r.ActionID, r.TriggerKey, r.Digest, string(r.State), r.Fence, string(text)).Exec(func(done pgconn.CommandTag) error {
		written = done.RowsAffected()
		return nil
	})
	b.Queue("commit")
	if err := conn.SendBatch(ctx, b).Close(); err != nil || written == 1 {
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
