package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/receipt"
)

func receiptsDecideCommand() *cobra.Command {
	var b storeFlags
	var v receipt.Ruling
	var format string
	c := &cobra.Command{
		Use:   "decide ID",
		Short: "Close what needs review, as a person found it",
		Long: `Close a receipt that needs review, once a person looked at the target, and write down
who decided, when and why. ID is one that show takes, of one receipt alone.

` + rulingLines() + `
Any other receipt is refused: what a worker can still find out is not for a person to
guess. Of two who decide at once one is written, and the other told. Nothing is sent
here. In an action of several steps the step that needs review is decided first, by
its own ID, and then the action.

Exit status: 0 it is decided, 3 it was refused, and nothing is written.`,
		Example: `  drill receipts decide A --db state/receipts.db --as confirmed --resource re_1 --by jo --reason "found by its metadata"
  drill receipts decide A --postgres --as absent --by jo --reason "support says that nothing arrived"`,
		Args: exactly(1, "the ID of the receipt"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			return b.with(c.Context(), func(s receipt.Books) error {
				v.At = time.Now().UTC()
				r, err := decide(c.Context(), s, args[0], v)
				if err != nil {
					return err
				}
				told := receipt.Tell(r, v.At)
				if format == "json" {
					return writeJSON(c.OutOrStdout(), shown{"drill.receipt/v1", told, r})
				}
				return showReceipt(c.Context(), c.OutOrStdout(), s, r, told)
			})
		},
	}
	b.flags(c)
	c.Flags().StringVar(&v.As, "as", "", "what was found: "+strings.Join(receipt.RulingNames(), ", "))
	c.Flags().StringVar(&v.Resource, "resource", "", "the target's ID of the effect; with --as confirmed, and there alone")
	c.Flags().StringVar(&v.By, "by", "", "who decides")
	c.Flags().StringVar(&v.Reason, "reason", "", "from what, in one line")
	c.Flags().StringVar(&format, "format", "text", "text or json")
	for _, name := range []string{"as", "by", "reason"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

// rulingLines are what a person can find, for the help text.
func rulingLines() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range receipt.Rulings {
		fmt.Fprintf(t, "  %s\t%s\n", r.As, r.Doc)
	}
	_ = t.Flush()
	return b.String()
}

// decide writes what a person found, by compare-and-set on the receipt as it was read.
func decide(ctx context.Context, s receipt.Books, id string, v receipt.Ruling) (receipt.Receipt, error) {
	found, err := findReceipts(ctx, s, id)
	switch {
	case err != nil:
		return receipt.Receipt{}, err
	case len(found) == 0:
		return receipt.Receipt{}, fmt.Errorf("no receipt has the ID %s, so that nothing is decided", id)
	case len(found) > 1:
		ids := make([]string, len(found))
		for i, r := range found {
			ids[i] = r.ActionID
		}
		return receipt.Receipt{}, fmt.Errorf("%d receipts have the ID %s: name one of %s", len(found), id, strings.Join(ids, ", "))
	}
	next, err := found[0].Ruled(v)
	if err != nil {
		return next, err
	}
	if err := s.Write(ctx, receipt.NeedsReview, next); err != nil {
		return next, fmt.Errorf("not decided, somebody was first: %w", err)
	}
	return next, nil
}
