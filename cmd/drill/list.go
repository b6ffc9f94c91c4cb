package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func listCommand() *cobra.Command {
	var kinds []string
	for _, b := range books {
		kinds = append(kinds, b.kind)
	}
	return &cobra.Command{
		Use:       "list " + strings.Join(kinds, "|"),
		Short:     "List scenarios, faults, invariants, profiles, executors, mutants, needs, or what policy lint knows",
		Args:      exactly(1, "what to list: "+strings.Join(kinds, ", ")),
		ValidArgs: kinds,
		RunE: func(c *cobra.Command, args []string) error {
			for _, b := range books {
				if b.kind == args[0] {
					return list(c.OutOrStdout(), b.pages())
				}
			}
			return fmt.Errorf("there is no list of %q: expected one of %s", args[0], strings.Join(kinds, ", "))
		},
	}
}

// list prints a line a page, and a heading where another group begins.
func list(w io.Writer, pages []page) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	group := ""
	for i, p := range pages {
		if p.group != group {
			if i > 0 {
				fmt.Fprintln(t)
			}
			group = p.group
			fmt.Fprintf(t, "%s:\n", group)
		}
		fmt.Fprintf(t, "%s\t%s\n", p.name, p.short)
	}
	return t.Flush()
}

// exactly wants n arguments, and says which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %s, and got %d arguments", c.CommandPath(), what, len(args))
		}
		return nil
	}
}
