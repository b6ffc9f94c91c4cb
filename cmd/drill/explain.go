package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain NAME",
		Short:   "Say what a scenario, fault, invariant, profile, executor, need or rule is",
		Example: "  drill explain lost-answer\n  drill explain one-effect\n  drill explain 'response kill'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("drill explain takes a name; drill list says which there are")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			name := strings.Join(args, " ")
			found := false
			for _, b := range books {
				for _, p := range b.pages() {
					if p.name != name && !slices.Contains(p.also, name) {
						continue
					}
					if found {
						fmt.Fprintln(c.OutOrStdout())
					}
					found = true
					if p.whole {
						fmt.Fprint(c.OutOrStdout(), p.long())
						continue
					}
					fmt.Fprintf(c.OutOrStdout(), "%s (%s)\n\n%s\n", p.name, b.one, indent(p.long()))
				}
			}
			if !found {
				return fmt.Errorf("nothing is called %q; drill list %s says what there is", name, bookKinds())
			}
			return nil
		},
	}
}

func bookKinds() string {
	var out []string
	for _, b := range books {
		out = append(out, b.kind)
	}
	return strings.Join(out, "|")
}

func indent(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
