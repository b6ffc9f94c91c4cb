package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retrydrill/drill/harness/selftest"
)

// selftestText prints a line a mutant under its class, then what is not as it should
// be.
func selftestText(w io.Writer, m *selftest.Matrix, took time.Duration) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CLASS\tMUTANT\tCONVICTED BY\tIN\tALSO IN\tTWIN")
	for _, r := range m.Rows {
		fmt.Fprintln(t, strings.Join(cells(r), "\t"))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	searchedText(w, m)
	for _, r := range m.Rows {
		if r.Wrong != "" {
			fmt.Fprintf(w, "\nDEVIATES  %s: %s; meant is %s in %s, and there broke %s\n", r.Mutant, r.Wrong, r.Invariant, r.Scenario, inWords(r.Broken))
			fmt.Fprintf(w, "          drill run %s --executor %s --target %s --world %s\n", r.Scenario, r.Mutant, r.Target, m.World)
		}
	}
	for _, t := range m.Twins {
		if len(t.Convicted) > 0 {
			fmt.Fprintf(w, "\nDEVIATES  the twin %s at %s is not cleared: %s\n", t.Executor, t.Target, inWords(t.Convicted))
		}
	}
	_, err := fmt.Fprintf(w, "\n%s, seed %d, in %s\n", summed(m), m.Seed, took.Round(time.Millisecond))
	return err
}

// searchedText tells what the searches came to.
func searchedText(w io.Writer, m *selftest.Matrix) {
	searched, found, lines, longest := 0, 0, 0, time.Duration(0)
	for _, r := range m.Rows {
		if r.Found == nil {
			continue
		}
		searched++
		longest = max(longest, r.Found.Took)
		what := r.Found.String()
		if what == "" {
			what = r.Found.Why
		} else {
			found++
			lines = max(lines, len(r.Found.Lines))
			what += " (" + strings.Join(r.Found.Broken, ", ") + ")"
		}
		fmt.Fprintf(w, "\nsearched  %s: %s, %d schedules, %s", r.Mutant, what, r.Found.Ran, r.Found.Took.Round(time.Millisecond))
	}
	if searched > 0 {
		fmt.Fprintf(w, "\n\nsearch    %d of %d convicted without the catalogue, by at most %d lines, the longest search took %s\n", found, searched, lines, longest.Round(time.Millisecond))
	}
}

func summed(m *selftest.Matrix) string {
	c := m.Counts()
	s := fmt.Sprintf("%d of %d mutants caught, in %d classes, %d of %d twins cleared (%s)", c.Caught, c.Mutants, c.Classes, c.Cleared, c.Twins, m.World)
	if c.NotShown > 0 {
		s += fmt.Sprintf(", %d not shown", c.NotShown)
	}
	return s
}

// cells are a row of the matrix: class, mutant, invariant, scenario, second place,
// twin.
func cells(r selftest.Row) []string {
	if r.NotShown != "" {
		return []string{string(r.Class), r.Mutant, "not shown", r.NotShown, "", ""}
	}
	by, in, twin := "ESCAPES", r.Scenario, r.Twin+" cleared"
	switch {
	case r.Caught():
		by = r.Invariant
	case len(r.Broken) > 0:
		by = "not by " + r.Invariant
	}
	if r.Target != defaultTarget {
		in += " at " + r.Target
	}
	if !r.Cleared {
		twin = r.Twin + " NOT CLEARED"
	}
	second := r.Second()
	if more := len(r.Elsewhere) - 1; more > 0 {
		second += fmt.Sprintf(" and %d more", more)
	}
	return []string{string(r.Class), r.Mutant, by, in, cmp.Or(second, "NOWHERE"), twin}
}

func inWords(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, ", ")
}

// selftestMarkdown prints the matrix as a table.
func selftestMarkdown(w io.Writer, m *selftest.Matrix, _ time.Duration) error {
	fmt.Fprintf(w, "%s.\n\n| class | mutant | what is wrong | case | convicted by | in | also in | twin |\n|---|---|---|---|---|---|---|---|\n", summed(m))
	for _, r := range m.Rows {
		c := cells(r)
		row := []string{c[0], "`" + c[1] + "`", r.Doc, r.Case, c[2], c[3], c[4], c[5]}
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | ")); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}
