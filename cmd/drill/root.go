package main

import (
	"github.com/spf13/cobra"
)

// commands lists every command, in the order of the help text.
var commands = []func() *cobra.Command{
	runCommand,
	exploreCommand,
	fuzzCommand,
	selftestCommand,
	replayCommand,
	reportCommand,
	serveCommand,
	policyCommand,
	receiptsCommand,
	listCommand,
	explainCommand,
	versionCommand,
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "drill",
		Short: "Prove or disprove that an executor is retry-safe",
		Long: `drill runs an executor against a target whose effects it can count, breaks the
world at one exact place at a time, lets the normal retry path wake up, and
judges what happened.

Exit status: 0 safe, 1 unsafe, 2 unknown, 3 drill could not do its work,
130 interrupted.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		// Without a command the help is printed; a command that is none is an error.
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: checkFlags,
	}
	c.SetFlagErrorFunc(flagError)
	c.CompletionOptions.HiddenDefaultCmd = true
	cobra.EnableCommandSorting = false
	for _, make := range commands {
		c.AddCommand(make())
	}
	return c
}
