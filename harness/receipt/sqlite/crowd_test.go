package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowdDir makes the test binary one process of a crowd on the database there.
const crowdDir = "DRILL_TEST_CROWD_DIR"

const crowdActions = 40

// crowd moves actions along until all are confirmed, telling each fence that it
// got and each write that was acknowledged.
func crowd(dir string) int {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(dir, "receipts.db"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	for left := crowdActions; left > 0; {
		left = crowdActions
		for n := range crowdActions {
			c := receipttest.NewClaim(fmt.Sprintf("a%d", n), 1)
			c.Now, c.Lease, c.Owner = time.Now(), 20*time.Millisecond, fmt.Sprint(os.Getpid())
			r, _, err := s.Claim(ctx, c)
			switch {
			case errors.Is(err, receipt.ErrHeld):
				continue
			case err != nil:
				fmt.Fprintln(os.Stderr, err)
				return 1
			case r.State.Settled():
				left--
				continue
			}
			fmt.Printf("fence %s %d\n", r.ActionID, r.Fence)
			if err := push(ctx, s, r); err != nil && !errors.Is(err, receipt.ErrStale) {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	return 0
}

func push(ctx context.Context, s *Store, r receipt.Receipt) error {
	for _, to := range []receipt.State{receipt.Sent, receipt.Confirmed} {
		from := r.State
		if from == receipt.Sent && to == receipt.Sent {
			continue
		}
		r.Attempt++
		r = r.To(to, time.Now())
		if err := s.Write(ctx, from, r); err != nil {
			return err
		}
		fmt.Printf("wrote %s %d %s\n", r.ActionID, r.Fence, to)
	}
	return nil
}

// TestCrowd runs processes on one file and kills some of them anywhere: no fence
// is given twice, and no acknowledged write is lost.
func TestCrowd(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	fences, last := map[string]bool{}, map[string]string{}
	read := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		var kind, id, state string
		var fence int
		fmt.Sscan(line, &kind, &id, &fence, &state)
		switch kind {
		case "fence":
			at := fmt.Sprint(id, " ", fence)
			assert.False(t, fences[at], "%s was given twice", at)
			fences[at] = true
		case "wrote":
			if last[id] != string(receipt.Confirmed) {
				last[id] = state
			}
		}
	}
	start := func(killAfter int) func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crowdDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		done := make(chan struct{})
		go func() {
			defer close(done)
			lines := bufio.NewScanner(out)
			for n := 1; lines.Scan(); n++ {
				read(lines.Text())
				if n == killAfter {
					_ = cmd.Process.Signal(syscall.SIGKILL)
				}
			}
		}()
		return func() {
			<-done
			err := cmd.Wait()
			if killAfter == 0 {
				assert.NoError(t, err)
			}
		}
	}
	var waits []func()
	for range 4 {
		waits = append(waits, start(1+rng.IntN(12)))
	}
	for range 2 {
		waits = append(waits, start(0))
	}
	for _, w := range waits {
		w()
	}
	s := open(t, filepath.Join(dir, "receipts.db"))
	defer s.Close()
	for n := range crowdActions {
		r, err := s.Get(t.Context(), fmt.Sprintf("a%d", n))
		require.NoError(t, err)
		assert.Equal(t, receipt.Confirmed, r.State)
		assert.NotEmpty(t, last[r.ActionID], "somebody wrote it")
	}
}
