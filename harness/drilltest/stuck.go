package drilltest

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// goroutine is one of a bubble, as its stack tells of it.
type goroutine struct {
	bubble, state string
	// durable: only the bubble itself can wake it.
	durable bool
	stack   string
}

var header = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],(]+?)( \(durable\))?(?:,[^\]]*)?, synctest bubble (\d+)\]:`)

// goroutines are those of all bubbles.
func goroutines() []goroutine {
	b := make([]byte, 1<<20)
	for {
		n := runtime.Stack(b, true)
		if n < len(b) {
			return parse(string(b[:n]))
		}
		b = make([]byte, 2*len(b))
	}
}

func parse(dump string) (out []goroutine) {
	for _, stack := range strings.Split(dump, "\n\n") {
		if m := header.FindStringSubmatch(stack); m != nil {
			out = append(out, goroutine{bubble: m[3], state: m[1], durable: m[2] != "", stack: stack})
		}
	}
	return out
}

// waits says for what a goroutine waits that keeps time from going on.
var waits = map[string]string{
	"IO wait":             "a real socket, pipe or file",
	"syscall":             "a system call: a child process, cgo, or a file",
	"chan receive":        "a goroutine outside of the bubble",
	"chan send":           "a goroutine outside of the bubble",
	"select":              "a goroutine outside of the bubble",
	"sync.WaitGroup.Wait": "a goroutine outside of the bubble",
	"semacquire":          "a lock whose holder waits in turn",
	"sync.Mutex.Lock":     "a mutex whose holder waits in turn; a bubble can not tell that from work",
	"sync.RWMutex.Lock":   "a mutex whose holder waits in turn; a bubble can not tell that from work",
	"sync.RWMutex.RLock":  "a mutex whose holder waits in turn; a bubble can not tell that from work",
}

// endless is what goroutines do that nothing is heard of.
const endless = "nothing: it computes without an end"

// stands says what keeps the time of a bubble from going on, or nothing. silent: no
// trial asked anything of drill for a while.
func stands(all []goroutine, silent bool) string {
	return told.of(all, func(g goroutine) string {
		what, at := waits[g.state], place(g.stack)
		if silent && (g.state == "running" || g.state == "runnable") {
			what = endless
		}
		if what == "" || at == "" || g.durable {
			return ""
		}
		return fmt.Sprintf("%s waits for %s (%s)", at, what, g.state)
	})
}

// remain says which goroutines are left in bubbles whose trial is over, and in no other.
func remain(all []goroutine) string {
	open := map[string]bool{}
	for _, g := range all {
		// The goroutine that made a bubble is in it until its end.
		if strings.Contains(g.stack, "\ninternal/synctest.Run(") {
			open[g.bubble] = true
		}
	}
	return told.of(all, func(g goroutine) string {
		if open[g.bubble] {
			return ""
		}
		return fmt.Sprintf("%s waits in %s, begun by %s", cmp.Or(place(g.stack), "a goroutine"), g.state, beginner(g.stack))
	})
}

// told are the bubbles of which was told: what is in them stays for ever.
var told tellings

type tellings struct {
	mu      sync.Mutex
	bubbles map[string]bool
}

// of says what there is to say of goroutines in other bubbles than those.
func (t *tellings) of(all []goroutine, say func(goroutine) string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, g := range all {
		if text := say(g); text != "" && !t.bubbles[g.bubble] && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ")
}

// done leaves out from now on what is left now.
func (t *tellings) done(all []goroutine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bubbles == nil {
		t.bubbles = map[string]bool{}
	}
	for _, g := range all {
		t.bubbles[g.bubble] = true
	}
}

var (
	frame   = regexp.MustCompile(`(?m)^(\S[^\n]*)\([^\n]*\)\n\t(\S+:\d+)`)
	created = regexp.MustCompile(`(?m)^created by (\S+)(?: in goroutine \d+)?\n\t(\S+:\d+)`)
)

// passed are packages whose frames say how something waits, and not why.
var passed = []string{"runtime.", "internal/", "syscall.", "os.", "os/", "io.", "bufio.", "net.", "net/", "crypto/", "sync.", "sync/", "time.",
	"context.", "testing.", "testing/", "database/sql.", "golang.org/x/sync/", "main.main"}

// place is the function and line of an executor's code that a goroutine is at.
func place(stack string) string {
	for _, m := range frame.FindAllStringSubmatch(stack, -1) {
		if !slices.ContainsFunc(passed, func(p string) bool { return strings.HasPrefix(m[1], p) }) {
			return at(m[1], m[2])
		}
	}
	return ""
}

// beginner is who started the goroutine.
func beginner(stack string) string {
	if m := created.FindStringSubmatch(stack); m != nil {
		return at(m[1], m[2])
	}
	return "the bubble"
}

func at(function, line string) string {
	return path.Base(function) + " (" + path.Base(line) + ")"
}
