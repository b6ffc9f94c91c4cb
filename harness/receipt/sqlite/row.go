package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

// columns are all but seq, in the order of values and of scan.
var columns = []string{
	"action_id", "trigger_key", "business_key", "effect", "ordinal", "arguments_sha256", "arguments",
	"approval_id", "policy_version", "state", "attempt",
	"key_generation", "key_since", "key_approval", "key_poisoned",
	"status", "code", "class", "request_id", "resource_id", "not_before", "error_class", "detail",
	"owner", "fence", "lease_until", "history",
}

var (
	insert = "INSERT INTO receipts (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	update = "UPDATE receipts SET " + strings.Join(columns, " = ?, ") + " = ?"
	choose = "SELECT " + strings.Join(columns, ", ") + " FROM receipts "
)

func values(r receipt.Receipt) ([]any, error) {
	arguments, err := r.Arguments.Canonical()
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", r.ActionID, err)
	}
	history, err := json.Marshal(r.History)
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", r.ActionID, err)
	}
	return []any{
		r.ActionID, r.TriggerKey, r.BusinessKey, r.Effect, r.Ordinal, r.Digest, string(arguments),
		r.ApprovalID, r.PolicyVersion, string(r.State), r.Attempt,
		r.Key.Generation, nanos(r.Key.Since), r.Key.ApprovalID, r.Key.Poisoned,
		r.Status, r.Code, string(r.Class), r.RequestID, r.Resource, nanos(r.NotBefore), r.ErrorClass, r.Detail,
		r.Owner, r.Fence, nanos(r.LeaseUntil), string(history),
	}, nil
}

type rows interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// read returns the receipts of a condition.
func read(ctx context.Context, q rows, where string, arg string) (out []receipt.Receipt, err error) {
	found, err := q.QueryContext(ctx, choose+where, arg)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		r, err := scan(found)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, found.Err()
}

func scan(row *sql.Rows) (r receipt.Receipt, err error) {
	var arguments, history []byte
	var since, notBefore, lease int64
	if err := row.Scan(
		&r.ActionID, &r.TriggerKey, &r.BusinessKey, &r.Effect, &r.Ordinal, &r.Digest, &arguments,
		&r.ApprovalID, &r.PolicyVersion, &r.State, &r.Attempt,
		&r.Key.Generation, &since, &r.Key.ApprovalID, &r.Key.Poisoned,
		&r.Status, &r.Code, &r.Class, &r.RequestID, &r.Resource, &notBefore, &r.ErrorClass, &r.Detail,
		&r.Owner, &r.Fence, &lease, &history,
	); err != nil {
		return r, err
	}
	r.Key.Since, r.NotBefore, r.LeaseUntil = instant(since), instant(notBefore), instant(lease)
	if err := json.Unmarshal(history, &r.History); err != nil {
		return r, fmt.Errorf("%w: history of %s: %w", receipt.ErrDamaged, r.ActionID, err)
	}
	if r.Arguments, err = argumentsOf(arguments); err != nil || r.Arguments.Digest() != r.Digest {
		return r, fmt.Errorf("%w: arguments of %s are not those of %s", receipt.ErrDamaged, r.ActionID, r.Digest)
	}
	return r, nil
}

func argumentsOf(b []byte) (a harness.Arguments, err error) {
	err = json.Unmarshal(b, &a)
	return a, err
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
