package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/targets"
)

func policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Inspect retry policies",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(policyLintCommand())
	return c
}

func policyLintCommand() *cobra.Command {
	var f policyFlags
	c := &cobra.Command{
		Use:   "lint FILE",
		Short: "Name what is unsafe in a retry policy by inspection",
		Long: `Name what is unsafe in a retry policy by inspection, without a run: each finding
with its line and column, why it is unsafe, what to do, and the source of the rule.
FILE may be - for standard input.

Formats: ` + lint.FormatIDs() + `.
Exit status: 0 nothing found, 1 unsafe, 3 the file can not be read.`,
		Args: exactly(1, "the file to inspect"),
		RunE: func(c *cobra.Command, args []string) error { return f.lint(c, args[0]) },
	}
	c.Flags().StringVar(&f.target, "target", "", "the profile of the API that the policy is used at; without one nothing is taken for promised")
	c.Flags().StringVar(&f.as, "as", "", "the format of the file; found from its content where it is not named")
	c.Flags().StringVar(&f.format, "format", "text", "text or json")
	return c
}

type policyFlags struct {
	target string
	as     string
	format string
}

// policyReport is what --format json prints.
type policyReport struct {
	Schema   string         `json:"schema"`
	File     string         `json:"file"`
	Format   string         `json:"format"`
	Target   string         `json:"target,omitempty"`
	Verdict  string         `json:"verdict"`
	Policies int            `json:"policies"`
	Findings []lint.Finding `json:"findings"`

	lines []string
}

// policyLintSchema is the version line of what policy lint prints as JSON.
const policyLintSchema = "drill.policy-lint/v1"

func (f *policyFlags) lint(c *cobra.Command, file string) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format is %q: expected text or json", f.format)
	}
	var target *harness.Promises
	if f.target != "" {
		p, err := targets.Load(f.target)
		if err != nil {
			return err
		}
		promises := p.Promises()
		target = &promises
	}
	b, err := readPolicy(c.InOrStdin(), file)
	if err != nil {
		return err
	}
	format, policies, err := lint.Read(file, b, f.as)
	if err != nil {
		return err
	}
	r := policyReport{Schema: policyLintSchema, lines: strings.Split(string(b), "\n"), File: file, Format: format.ID, Target: f.target,
		Verdict: string(harness.Safe), Policies: len(policies), Findings: lint.Lint(policies, target)}
	if len(r.Findings) > 0 {
		r.Verdict = string(harness.Unsafe)
	}
	if err := r.print(c.OutOrStdout(), f.format); err != nil {
		return err
	}
	return judged(harness.Verdict(r.Verdict))
}

// readPolicy reads no more than a policy can be, so that a device is no trap.
func readPolicy(stdin io.Reader, file string) (b []byte, err error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in = f
	}
	b, err = io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return b, nil
}

func (r policyReport) print(w io.Writer, format string) error {
	if format == "json" {
		return writeJSON(w, r)
	}
	var b strings.Builder
	tellLint(&b, r.File, r.Findings, r.lines)
	where := ""
	if r.Target != "" {
		where = ", at " + r.Target
	}
	fmt.Fprintf(&b, "%s: %s in %s, read as %s%s\n", strings.ToUpper(r.Verdict), amount(len(r.Findings), "finding", "findings"),
		amount(r.Policies, "policy", "policies"), r.Format, where)
	if r.Verdict == string(harness.Safe) {
		b.WriteString("nothing was found by inspection; that an executor keeps to it, only a run can show\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tellLint tells each finding with its line.
func tellLint(w io.Writer, file string, found []lint.Finding, lines []string) {
	for _, f := range found {
		fmt.Fprintf(w, "%s:%d:%d: %s: %s%s\n", file, f.Line, f.Column, f.Rule, part(f.Policy), f.Why)
		if f.Line <= len(lines) {
			text := strings.TrimRight(lines[f.Line-1], "\r")
			fmt.Fprintf(w, "%5d | %s\n      | %s^\n", f.Line, text, strings.Repeat(" ", max(0, f.Column-1)))
		}
		fmt.Fprintf(w, "      do: %s\n      see: %s\n", f.Do, f.Source)
	}
}

// part names one of several policies of a document.
func part(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// amount is a number with its noun.
func amount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
