package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/receipt"
)

func receiptsListCommand() *cobra.Command {
	var b storeFlags
	var s selection
	var format string
	c := &cobra.Command{
		Use:   "list",
		Short: "List receipts, one line each",
		Long: `List receipts in the order of their making, one line each, by state and by the age of
their last change.

Exit status: 0, or 3 the receipts can not be read.`,
		Example: `  drill receipts list --db state/receipts.db --state sent,unknown --older-than 1h`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			now := time.Now()
			q, err := s.query(now)
			if err != nil {
				return err
			}
			return b.with(c.Context(), func(store receipt.Books) error {
				print, end := listLine(c.OutOrStdout(), format, now)
				if err := store.Each(c.Context(), q, print); err != nil {
					return err
				}
				return end()
			})
		},
	}
	b.flags(c)
	s.flags(c)
	c.Flags().StringVar(&format, "format", "text", "text, or json: one object a line")
	return c
}

// listed is a line of list as JSON.
type listed struct {
	ActionID string            `json:"action_id"`
	State    receipt.State     `json:"state"`
	Done     receipt.Certainty `json:"done"`
	Changed  time.Time         `json:"changed"`
	Attempt  int               `json:"attempt"`
	Resource string            `json:"resource_id,omitempty"`
	Business string            `json:"business_key"`
	Effect   string            `json:"effect"`
}

// listLine prints receipts one by one; end prints what is still held back.
func listLine(w io.Writer, format string, now time.Time) (print func(receipt.Receipt) error, end func() error) {
	if format == "json" {
		e := json.NewEncoder(w)
		return func(r receipt.Receipt) error {
			return e.Encode(listed{r.ActionID, r.State, receipt.Tell(r, now).Done, r.Changed().UTC(), r.Attempt, r.Resource, r.BusinessKey, r.Effect})
		}, func() error { return nil }
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ACTION\tSTATE\tDONE\tCHANGED\tATTEMPTS\tRESOURCE\tEFFECT")
	return func(r receipt.Receipt) error {
		resource := r.Resource
		if resource == "" {
			resource = "-"
		}
		_, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s %s\n", r.ActionID, r.State, receipt.Tell(r, now).Done, stamp(r.Changed()),
			r.Attempt, resource, r.Effect, r.BusinessKey)
		return err
	}, t.Flush
}
