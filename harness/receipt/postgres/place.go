package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/retrydrill/drill/harness/receipt"
)

// OpenIn is Open in a schema that is made where it is missing, whatever the search
// path of dsn.
func OpenIn(ctx context.Context, dsn, schema string) (*Store, error) {
	return open(ctx, dsn, schema, true)
}

// Take returns every receipt of a schema as it is stored, those of the archive last,
// and removes the schema. One that is not there has none.
func Take(ctx context.Context, dsn, schema string) (texts []string, err error) {
	s, err := open(ctx, dsn, schema, false)
	if errors.Is(err, receipt.ErrNoStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, archived := range []bool{false, true} {
		err := s.Each(ctx, receipt.Query{Archived: archived}, func(r receipt.Receipt) error {
			b, err := receipt.Encode(r)
			texts = append(texts, string(b))
			return err
		})
		if err != nil {
			return texts, err
		}
	}
	_, err = s.pool.Exec(ctx, fmt.Sprintf("DROP SCHEMA %s CASCADE", quoted(schema)))
	return texts, s.fail("remove", err)
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
