package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/targets"
)

func replayCommand() *cobra.Command {
	var format, output, receipts string
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run a kept trial again",
		Long: `Run a trial that was kept in .drill/ again, and say whether it is still failing
(exit 1), fixed (0) or could not be replayed (2).`,
		Args: exactly(1, "the file to replay"),
		RunE: func(c *cobra.Command, args []string) error { return replay(c, args[0], format, output, receipts) },
	}
	c.Flags().StringVar(&receipts, "receipts", inFiles, receiptsUsage)
	c.Flags().StringVar(&format, "format", "text", "text or json")
	c.Flags().StringVar(&output, "output", "", "write the result to this file instead of standard output")
	return c
}

// unreplayable is returned for a trial that this drill can not carry out again.
type unreplayable struct{ reason string }

func (u unreplayable) Error() string { return u.reason }

func replay(c *cobra.Command, path, format, output, receipts string) (err error) {
	if err := checkFormat(format); err != nil {
		return err
	}
	s, profile, err := readReplay(path)
	if u := (unreplayable{}); errors.As(err, &u) {
		fmt.Fprintf(c.OutOrStdout(), "could not be replayed: %s\n", u.reason)
		return finding(harness.Inconclusive)
	}
	if err != nil {
		return err
	}
	where, err := placeOf(s.World)
	if err != nil {
		return err
	}
	if err := checkKept(receipts, s.World, s.Executor); err != nil {
		return err
	}
	st, err := openStage(c.Context(), c.OutOrStdout(), output, receipts, where, profile)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, st.close()) }()
	start := time.Now()
	h, j, err := suite.Carry(c.Context(), st.world, s)
	if err != nil {
		if cerr := c.Context().Err(); cerr != nil {
			return cerr
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	t := report.Trial{ID: path, Scenario: "replay", World: s.World, Executor: suite.ExecutorName(s.Executor), Target: s.Profile, Replay: path}
	t = t.Judged(h, j)
	t.Took = time.Since(start)
	if format == "json" {
		r := &report.Run{Schema: report.Schema, Seed: s.Seed}
		r.Add(t)
		err = r.JSON(st.out)
	} else {
		tellReplay(st.out, t)
	}
	if err != nil {
		return err
	}
	return judged(t.Verdict)
}

func tellReplay(out io.Writer, t report.Trial) {
	switch t.Verdict {
	case harness.Unsafe:
		fmt.Fprintln(out, "still failing")
		report.Text{W: out, Color: colored(out), Command: called()}.Unsafe(t)
	case harness.Safe:
		fmt.Fprintln(out, "fixed")
	default:
		fmt.Fprintf(out, "could not be replayed: %s\n", t.Reason)
	}
}

// readReplay reads a kept schedule and what it needs of this drill.
func readReplay(path string) (harness.Schedule, *targets.Profile, error) {
	var s harness.Schedule
	b, err := os.ReadFile(path)
	if err != nil {
		return s, nil, fmt.Errorf("replay: %w", err)
	}
	if err := located.Text(path, b); err != nil {
		return s, nil, err
	}
	var head struct {
		Version string `yaml:"version"`
	}
	// A damaged file is told by the strict reader below, with its place.
	if yaml.Unmarshal(b, &head) == nil && head.Version != harness.ScheduleVersion && isScheduleVersion(head.Version) {
		return s, nil, unreplayable{fmt.Sprintf("%s is of version %s, this drill reads %s", path, head.Version, harness.ScheduleVersion)}
	}
	if s, err = harness.ParseSchedule(b); err != nil {
		return s, nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := targets.Load(s.Profile)
	switch {
	case err != nil:
		return s, nil, unreplayable{err.Error()}
	case s.ProfileDigest != "" && p.Digest() != s.ProfileDigest:
		return s, nil, unreplayable{fmt.Sprintf("the profile %s is not the one of then: its digest is %s, it was %s", s.Profile, p.Digest(), s.ProfileDigest)}
	}
	where, err := placeOf(s.World)
	if err == nil {
		err = where.takes(s)
	}
	if err != nil {
		return s, nil, unreplayable{err.Error()}
	}
	return s, p, runnable(s.Executor)
}

// runnable looks for the executor of a kept trial.
func runnable(e harness.Executor) error {
	switch e.Kind {
	case "builtin":
		if err := builtin(e.Name); err != nil {
			return unreplayable{err.Error()}
		}
	case "exec", "serve":
		if len(e.Command) == 0 {
			return unreplayable{"the executor has no command"}
		}
		if _, err := exec.LookPath(e.Command[0]); err != nil {
			return unreplayable{err.Error()}
		}
	default:
		return unreplayable{fmt.Sprintf("an executor of kind %q runs in go test alone", e.Kind)}
	}
	return nil
}

func isScheduleVersion(v string) bool {
	return filepath.Dir(v) == filepath.Dir(harness.ScheduleVersion)
}
