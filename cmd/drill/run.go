package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/report"
	"github.com/retrydrill/drill/harness/suite"
)

// runFlags are the flags of drill run.
type runFlags struct {
	exec     string
	serve    string
	executor string
	targets  []string
	config   string
	policy   string
	faults   []string
	seed     uint64
	parallel int
	timeout  time.Duration
	format   string
	output   string
	// histories is where the histories of trials that are not safe go.
	histories string
	blind     bool
	// shards says which part of the run is run.
	shards   string
	receipts string
	world    string
	// place is the world of that name, once options has looked.
	place place
	// given says whether a flag was written at all.
	given func(name string) bool
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [SCENARIO...]",
		Short: "Run the catalogue, or some of it, against an executor",
		Long: `Run the catalogue against an executor: the reference executor, a built-in one
(--executor), or a command of your own: one that is started for each delivery
(--exec), or one that stays and is asked over HTTP (--serve), by the worker
protocol of docs/worker-protocol.md or in words of its own. What drill.yaml says is kept unless a flag says
otherwise. Trials that end unsafe are kept in .drill/ for drill replay.`,
		Example: `  drill run
  drill run lost-answer dies-after-commit --exec "python3 worker.py"
  drill run --fault 'create#1 response reset' --executor no-key`,
		RunE: func(c *cobra.Command, names []string) error { return f.run(c, names) },
	}
	f.given = func(name string) bool { return c.Flags().Changed(name) }
	f.whatRuns(c, "; repeatable (default every built-in one for the reference executor, else "+defaultTarget+")")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "run one trial with this fault instead of the catalogue; repeatable")
	c.Flags().DurationVar(&f.timeout, "timeout", 10*time.Minute, "end the run after this long, with what is known by then")
	c.Flags().StringVar(&f.histories, "keep-history", "", "keep in this folder what was recorded of each trial that is not safe, as JSON Lines")
	c.Flags().StringVar(&f.shards, "shard", "", "I/N: the I-th of N parts of the run, the same each time; drill report puts them together")
	c.Flags().BoolVar(&f.blind, "blind", false, "tell the worker neither its number nor the delivery's")
	return c
}

// whatRuns are the flags that say what is run against what, and where results go; which
// targets are meant is told apart.
func (f *runFlags) whatRuns(c *cobra.Command, which string) {
	c.Flags().StringVar(&f.exec, "exec", "", "run this command as the worker, split as a shell would")
	c.Flags().StringVar(&f.serve, "serve", "", "run this command as the worker once, and ask it over HTTP at ${port}, as drill.yaml says or by the worker protocol")
	c.Flags().StringVar(&f.executor, "executor", "", "run this built-in executor (default reference)")
	c.Flags().StringArrayVar(&f.targets, "target", nil, "the target's profile: a built-in one or a file"+which)
	c.Flags().StringVar(&f.world, "world", defaultWorld, "wire, or sim to run a built-in executor in memory and under virtual time")
	c.Flags().StringVar(&f.policy, "policy", "", "let the built-in executor follow this retry policy (default its own; see drill policy lint)")
	c.Flags().StringVar(&f.config, "config", "", "read this file (default drill.yaml, where there is one)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the source of every ID and choice")
	c.Flags().IntVar(&f.parallel, "parallel", 0, "how many trials run at once (default one a processor for a command, two for a Go executor)")
	c.Flags().StringVar(&f.receipts, "receipts", inFiles, receiptsUsage)
	c.Flags().StringVar(&f.format, "format", "text", formUsage)
	c.Flags().StringVar(&f.output, "output", "", "write the results to this file instead of standard output")
	notTogether(c, "exec", "serve", "executor")
}

func (f *runFlags) run(c *cobra.Command, names []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	lanes, err := f.lanes(names)
	if err != nil {
		return err
	}
	lanes, part, err := f.part(lanes)
	if err != nil {
		return err
	}
	st, err := f.stage(c.Context(), c.OutOrStdout(), profilesOf(lanes)...)
	if err != nil {
		return err
	}
	defer func() { err = worse(err, st.close()) }()

	ctx, stop := context.WithTimeoutCause(c.Context(), f.timeout, fmt.Errorf("%w: %s", errTimeout, f.timeout))
	defer stop()
	start := time.Now()
	voice := newVoice(c.ErrOrStderr(), "scenarios", scenariosOf(lanes))
	defer voice.end()
	text := report.Text{W: st.out, Color: colored(st.out), Command: called()}
	each, whole := func(*lane, []report.Trial) { voice.step() }, func(*lane) {}
	if f.format == "text" || f.format == "github" {
		each, whole = tellLanes(text, voice, lanes)
	}
	err = runLanes(ctx, st.world, lanes, f.sideBySide(lanes), each, whole)
	voice.end()
	r := report.Join(f.seed, runsOf(lanes)...)
	r.Part = part
	switch {
	case f.format == "json" || f.format == "junit":
		err = errors.Join(writeAs(st.out, f.format, wholeRun{r}, 0), err)
	case len(r.Trials) > 0:
		// The trials were told as they came.
		text.Foot(r, time.Since(start))
		if part != nil {
			fmt.Fprintf(st.out, "part %d of %d: %d of %s\n", part.Shard, part.Shards, scenariosOf(lanes), amount(part.Units, "scenario", "scenarios"))
		}
		if f.format == "github" {
			err = errors.Join(report.GitHub(st.out, r.Cases(called())), err)
		}
	}
	if err != nil {
		return err
	}
	return judged(r.Verdict())
}

// tellLanes prints each scenario of a single target as it comes, and of several
// targets each as a whole. Nothing is printed before there is a result.
func tellLanes(text report.Text, v *voice, lanes []*lane) (each func(*lane, []report.Trial), whole func(*lane)) {
	one := lanes[0]
	name := suite.ExecutorName(one.Executor)
	if len(lanes) == 1 {
		head := sync.OnceFunc(func() { text.Head(name, one.Promises.Profile, one.WorldName, one.Seed) })
		return func(_ *lane, ts []report.Trial) {
			v.clear()
			head()
			text.Scenario(ts)
			v.step()
		}, func(*lane) {}
	}
	head := sync.OnceFunc(func() { text.HeadOf(name, len(lanes), one.WorldName, one.Seed) })
	return func(*lane, []report.Trial) { v.step() }, func(l *lane) {
		if l.run == nil || len(l.run.Trials) == 0 {
			return
		}
		v.clear()
		head()
		text.Target(l.Promises.Profile, l.run.Trials, l.took)
		v.show()
	}
}

func scenariosOf(lanes []*lane) (n int) {
	for _, l := range lanes {
		n += len(l.Scenarios)
	}
	return n
}

func runsOf(lanes []*lane) (out []*report.Run) {
	for _, l := range lanes {
		out = append(out, l.run)
	}
	return out
}

// checkFormat refuses a form of results that there is none of.
func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("--format is %q: expected text or json", format)
	}
	return nil
}

func (f *runFlags) check() error {
	if err := cmp.Or(checkForm(f.format), checkParallel(f.given, f.parallel)); err != nil {
		return err
	}
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout is %s: expected more than 0", f.timeout)
	}
	return nil
}

// keepDir is where replay files are kept.
const keepDir = ".drill"

// called is how drill was called, for lines that repeat a trial.
func called() string {
	if path, err := os.Executable(); err == nil && underGoRun(path) {
		return "go run ./cmd/drill"
	}
	return "drill"
}
