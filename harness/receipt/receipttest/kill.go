package receipttest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/receipt"
)

// members is how many processes are at work at once.
const members = 8

// crowdTime is how long they are killed: DRILL_CROWD, else a few seconds.
func crowdTime(t *testing.T) time.Duration {
	set := os.Getenv("DRILL_CROWD")
	if set == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(set)
	require.NoError(t, err, "DRILL_CROWD")
	return d
}

// Crowd keeps eight processes at work on one store, on one action and on many, and
// kills each after a time drawn from a seed, anywhere in its work, and starts another
// in its place, until the time is over; then the last ones bring every action to its
// end. No receipt is lost, none is in two hands, and fences only grow. where makes an
// empty store and returns what the function given to [JoinCrowd] opens.
func Crowd(t *testing.T, where func(t *testing.T) string, open func(t *testing.T, where string) receipt.Store) {
	for _, actions := range []int{1, 40} {
		t.Run(fmt.Sprint(actions, " actions"), func(t *testing.T) {
			c := &crowd{t: t, place: where(t), actions: actions, witness: newWitness()}
			c.end = time.Now().Add(crowdTime(t))
			var all sync.WaitGroup
			for i := range members {
				rng := rand.New(rand.NewPCG(uint64(actions), uint64(i)))
				all.Go(func() { c.seat(rng) })
			}
			all.Wait()
			s := open(t, c.place)
			defer s.Close()
			c.witness.compare(t.Context(), s, actions)
			for _, v := range c.witness.violations {
				t.Error(v)
			}
			t.Logf("%d processes, %d of them killed, %d claims and %d writes acknowledged",
				c.started, c.killed, len(c.witness.claims), len(c.witness.writes))
			require.Positive(t, c.killed)
			require.NotEmpty(t, c.witness.writes)
		})
	}
}

type crowd struct {
	t       *testing.T
	place   string
	actions int
	end     time.Time
	witness *witness

	mu              sync.Mutex
	started, killed int
}

// seat fills one place with one process after the other; the last is not killed.
func (c *crowd) seat(rng *rand.Rand) {
	for {
		last := !time.Now().Before(c.end)
		// From the first line on, so that starting up is not all that is struck.
		after := time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
		died, err := c.one(after, last)
		if last || err != nil {
			if err != nil || died {
				c.t.Errorf("the last member of a seat: killed %t, %v", died, err)
			}
			return
		}
	}
}

// one starts a member, hears it and, unless it is the last, kills it.
func (c *crowd) one(after time.Duration, last bool) (died bool, err error) {
	out, cmd, err := c.start(last)
	if err != nil {
		return false, err
	}
	var kill *time.Timer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if kill == nil && !last {
			kill = time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		c.witness.note(lines.Text())
	}
	err = cmd.Wait()
	died = cmd.ProcessState.ExitCode() < 0
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started++
	if died {
		c.killed++
		return true, nil
	}
	return false, err
}

func (c *crowd) start(last bool) (io.Reader, *exec.Cmd, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crowdStore+"="+c.place, fmt.Sprintf("%s=%d", crowdActions, c.actions), fmt.Sprintf("%s=%t", crowdLast, last))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return out, cmd, cmd.Start()
}
