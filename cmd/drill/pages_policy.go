package main

import (
	"fmt"

	"github.com/retrydrill/drill/harness/policy/lint"
)

// rulePages are what drill policy lint looks for.
func rulePages() []page {
	var out []page
	for _, r := range lint.Rules {
		out = append(out, page{name: r.ID, short: r.Doc, long: func() string {
			return fmt.Sprintf("%s\n\ndo: %s\nsource: %s", r.Doc, r.Do, r.Source)
		}})
	}
	return out
}

// formatPages are the documents that drill policy lint reads.
func formatPages() []page {
	var out []page
	for _, f := range lint.Formats {
		out = append(out, page{name: f.ID, short: f.Doc, long: func() string {
			return fmt.Sprintf("%s\n\nread with drill policy lint --as %s\nsource: %s", f.Doc, f.ID, f.Source)
		}})
	}
	return out
}
