package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/worker"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and those of the formats",
		Args:  exactly(0, "no argument"),
		Run: func(c *cobra.Command, _ []string) {
			w := c.OutOrStdout()
			fmt.Fprintf(w, "drill %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(w, "%s, %s, %s, worker protocol %d\n", report.Schema, harness.ScheduleVersion, harness.HistoryVersion, worker.Protocol)
		},
	}
}

// version is that of this drill, with the revision that it was built from.
func version() string {
	version, revision := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	return version + revision
}
