package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Of what a workflow command holds, data escapes its text, and property the value of
// one of its properties (actions/toolkit, packages/core/src/command.ts).
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes a workflow command for each case that is unsafe, then for each that is
// unknown: GitHub shows the first ten of a kind beside the run.
func GitHub(w io.Writer, cases []Case) error {
	for _, k := range []struct {
		verdict harness.Verdict
		command string
	}{{harness.Unsafe, "error"}, {harness.Inconclusive, "warning"}} {
		for _, c := range cases {
			if c.Verdict != k.verdict {
				continue
			}
			lines := append([]string{string(c.Verdict) + ": " + c.Reason}, c.Broken...)
			if c.Replay != "" {
				lines = append(lines, "again: "+c.Replay)
			}
			_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", k.command, property.Replace(c.Class+": "+c.Name), data.Replace(strings.Join(lines, "\n")))
			if err != nil {
				return fmt.Errorf("report: %w", err)
			}
		}
	}
	return nil
}
