package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/receipt"
)

func receiptsExportCommand() *cobra.Command {
	var b storeFlags
	var s selection
	var output string
	c := &cobra.Command{
		Use:   "export",
		Short: "Write receipts as JSON Lines",
		Long: `Write receipts whole, one JSON object a line, in the order of their making. With
--output the file is there whole once the command ends, or not at all.

Exit status: 0, or 3 the receipts can not be read or written.`,
		Example: `  drill receipts export --postgres --archived --output archive.jsonl`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := s.query(time.Now())
			if err != nil {
				return err
			}
			return b.with(c.Context(), func(store receipt.Books) (err error) {
				out, err := openOutput(output, c.OutOrStdout())
				if err != nil {
					return err
				}
				if err := store.Each(c.Context(), q, func(r receipt.Receipt) error {
					line, err := receipt.Encode(r)
					if err == nil {
						_, err = out.Write(append(line, '\n'))
					}
					return err
				}); err != nil {
					return worse(err, out.discard())
				}
				return out.close()
			})
		},
	}
	b.flags(c)
	s.flags(c)
	c.Flags().StringVar(&output, "output", "", "write to this file instead of standard output")
	return c
}
