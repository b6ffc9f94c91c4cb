package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/retrydrill/drill/internal/shake/point"
)

// try runs the tests and returns what they print if they fail.
func (t tests) try(s point.Shake, flags []string) string {
	cmd := exec.Command(t.binary, flags...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), point.Variable+"="+s.String())
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s%v\n", out, err)
}

// tell prints a failure, the places that have to be slow for it, and the command that
// shows it again.
func (t tests) tell(out io.Writer, o options, s point.Shake, broken string) {
	_, _ = fmt.Fprintf(out, "\nseed %d:\n%s", s.Seed, broken)
	flags := o.flags
	if names := failed(broken); len(names) > 0 {
		flags = append(flags[:len(flags):len(flags)], "-test.run", "^("+strings.Join(names, "|")+")$")
	}
	for _, i := range narrow(s.Slow(), func(slow []int) bool {
		// Not nil, also where there is none.
		s.Only = append([]int{}, slow...)
		return t.often(s, flags)
	}) {
		_, _ = fmt.Fprintf(out, "slow: %s\n", t.sites[i])
	}
	race := ""
	if o.race {
		race = " -race"
	}
	_, _ = fmt.Fprintf(out, "again: go run ./internal/shake -first %d -seeds 1 -slow %d -pause %s -times %d%s %s\n\n", s.Seed, s.PerThousand,
		s.Pause, s.Times, race, strings.Join(append([]string{o.pkg}, o.flags...), " "))
}

// failedTest is how go test tells of a test, not of a subtest.
var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

func failed(broken string) (names []string) {
	for _, m := range failedTest.FindAllStringSubmatch(broken, -1) {
		names = append(names, m[1])
	}
	return names
}

// chances is how often fewer places are tried before they do not show it: a failure may
// need luck beside them. mostNarrowed bounds how many times fewer are tried.
const (
	chances      = 3
	mostNarrowed = 100
)

// often reports whether the tests fail in one of several runs.
func (t tests) often(s point.Shake, flags []string) bool {
	for range chances {
		if t.try(s, flags) != "" {
			return true
		}
	}
	return false
}

// narrow leaves out parts of the places, the largest first, as long as what is left still
// shows it.
func narrow(slow []int, shows func([]int) bool) []int {
	tries := 0
	for n := (len(slow) + 1) / 2; n > 0; n /= 2 {
		for from := 0; from < len(slow) && tries < mostNarrowed; {
			rest := slices.Concat(slow[:from], slow[min(from+n, len(slow)):])
			tries++
			if shows(rest) {
				slow = rest
				continue
			}
			from += n
		}
	}
	return slow
}
