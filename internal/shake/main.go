package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/retrydrill/drill/internal/shake/point"
)

// options are what the command line says.
type options struct {
	first, seeds uint64
	race         bool
	shake        point.Shake
	pkg          string
	// flags go to the tests.
	flags []string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, told io.Writer) int {
	o, err := parse(args, told)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	failed, err := o.all(out)
	switch {
	case err != nil:
		_, _ = fmt.Fprintln(told, err)
		return 2
	case failed:
		return 1
	}
	return 0
}

func parse(args []string, told io.Writer) (o options, err error) {
	f := flag.NewFlagSet("shake", flag.ContinueOnError)
	f.SetOutput(told)
	f.Usage = func() {
		_, _ = fmt.Fprintln(told, "usage: go run ./internal/shake [flags] PACKAGE [flags of the tests, as -test.run NAME]")
		f.PrintDefaults()
	}
	f.Uint64Var(&o.first, "first", 1, "the first seed")
	f.Uint64Var(&o.seeds, "seeds", 20, "how many seeds")
	f.BoolVar(&o.race, "race", false, "under the race detector")
	f.IntVar(&o.shake.PerThousand, "slow", 40, "how many places of each thousand are slow")
	f.DurationVar(&o.shake.Pause, "pause", 8*time.Millisecond, "how long a slow place takes")
	f.IntVar(&o.shake.Times, "times", 5, "how often it does before it is as fast as others")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() == 0 {
		err := errors.New("shake: no package: expected one, like ./fakes/control")
		_, _ = fmt.Fprintln(told, err)
		return o, err
	}
	o.pkg, o.flags = f.Arg(0), f.Args()[1:]
	return o, nil
}

// all tries every seed and reports whether one failed.
func (o options) all(out io.Writer) (failed bool, err error) {
	work, err := os.MkdirTemp("", "shake")
	if err != nil {
		return false, fmt.Errorf("shake: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	t, err := build(o, work)
	if err != nil {
		return false, err
	}
	_, _ = fmt.Fprintf(out, "%s: %d places, %d of 1000 slow\n", o.pkg, len(t.sites), o.shake.PerThousand)
	bad := 0
	for seed := o.first; seed < o.first+o.seeds; seed++ {
		s := o.shake
		s.Seed, s.Sites = seed, len(t.sites)
		if broken := t.try(s, o.flags); broken != "" {
			bad++
			t.tell(out, o, s, broken)
		}
	}
	_, _ = fmt.Fprintf(out, "%d of %d seeds failed\n", bad, o.seeds)
	return bad > 0, nil
}

// tests is a test binary, where it is run, and its places.
type tests struct {
	binary, dir string
	sites       []site
}

// build makes the tests with their points.
func build(o options, work string) (t tests, err error) {
	dir, err := goCommand("list", "-f", "{{.Dir}}", o.pkg)
	if err != nil {
		return t, err
	}
	paths, err := files(o.pkg)
	if err != nil {
		return t, err
	}
	sites, over, err := overlay(paths, work)
	if err != nil {
		return t, err
	}
	t = tests{filepath.Join(work, "tests"), string(dir[:len(dir)-1]), sites}
	args := []string{"test", "-c", "-vet=off", "-overlay", over, "-o", t.binary}
	if o.race {
		args = append(args, "-race")
	}
	if _, err := goCommand(append(args, o.pkg)...); err != nil {
		return t, err
	}
	if _, err := os.Stat(t.binary); err != nil {
		return t, fmt.Errorf("shake: %s has no tests", o.pkg)
	}
	return t, nil
}
