package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/postgres"
	"github.com/retrydrill/drill/harness/receipt/postgres/cluster"
	"github.com/retrydrill/drill/harness/receipt/sqlite"
)

// receiptCommands lists what can be asked of receipts, in the order of the help text.
var receiptCommands = []func() *cobra.Command{
	receiptsShowCommand,
	receiptsListCommand,
	receiptsExportCommand,
	receiptsSweepCommand,
	receiptsDecideCommand,
}

func receiptsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "receipts",
		Short: "Ask an executor's receipts what was sent, settle what was left, close what needs a person",
		Long: `Ask the receipts of the reference executor, or of one made like it, what was sent,
settle what earlier lives left without an answer, and close what a person decided.
Receipts are in a SQLite file
(--db) or a Postgres database (--postgres). No command here ever sends anything.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, make := range receiptCommands {
		c.AddCommand(make())
	}
	return c
}

// storeFlags say where receipts are.
type storeFlags struct {
	file string
	// variable names the environment variable that holds a connection string.
	variable string
}

func (b *storeFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&b.file, "db", "", "the SQLite file that holds the receipts")
	c.Flags().StringVar(&b.variable, "postgres", "", "the environment variable that holds the connection string of a Postgres database (default "+cluster.DSN+")")
	c.Flags().Lookup("postgres").NoOptDefVal = cluster.DSN
	notTogether(c, "db", "postgres")
	c.MarkFlagsOneRequired("db", "postgres")
}

// open opens what is there; it makes nothing.
func (b *storeFlags) open(ctx context.Context) (receipt.Books, error) {
	if b.file != "" {
		return sqlite.OpenExisting(ctx, b.file)
	}
	if strings.ContainsAny(b.variable, "=:/@ ") {
		return nil, errors.New("--postgres takes the name of an environment variable, since a command line is seen by others: put the connection string into " +
			cluster.DSN + " and write --postgres")
	}
	dsn := os.Getenv(b.variable)
	if dsn == "" {
		return nil, fmt.Errorf("--postgres: %s is not set: expected a connection string", b.variable)
	}
	return postgres.OpenExisting(ctx, dsn)
}

// with opens the receipts, lets f use them and closes them.
func (b *storeFlags) with(ctx context.Context, f func(receipt.Books) error) (err error) {
	s, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, s.Close()) }()
	return f(s)
}

// selection is which receipts are meant.
type selection struct {
	states     []string
	older, new time.Duration
	archived   bool
}

func (s *selection) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&s.states, "state", nil, "only those in these states: "+stateNames())
	c.Flags().DurationVar(&s.older, "older-than", 0, "only those whose last change is longer ago")
	c.Flags().DurationVar(&s.new, "newer-than", 0, "only those whose last change is no longer ago")
	c.Flags().BoolVar(&s.archived, "archived", false, "those in the archive instead")
}

func (s *selection) query(now time.Time) (q receipt.Query, err error) {
	q.Archived = s.archived
	for _, name := range s.states {
		if !slices.Contains(receipt.States, receipt.State(name)) {
			return q, fmt.Errorf("--state: there is no state %q: expected %s", name, stateNames())
		}
		q.States = append(q.States, receipt.State(name))
	}
	if s.older < 0 || s.new < 0 {
		return q, fmt.Errorf("--older-than and --newer-than are %s and %s: expected 0 or more", s.older, s.new)
	}
	if s.older > 0 {
		q.ChangedBefore = now.Add(-s.older)
	}
	if s.new > 0 {
		q.ChangedSince = now.Add(-s.new)
	}
	return q, nil
}

func stateNames() string {
	names := make([]string, len(receipt.States))
	for i, s := range receipt.States {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
