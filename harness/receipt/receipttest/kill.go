package receipttest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Crowd runs eight processes on one store and kills each anywhere, while two others
// bring every action to its end: no fence is given twice, no attempt is written by
// two, and no acknowledged write is lost. where makes an empty store and returns
// what the function given to [JoinCrowd] opens.
func Crowd(t *testing.T, where func(t *testing.T) string, open func(t *testing.T, where string) receipt.Store) {
	for _, actions := range []int{1, 40} {
		t.Run(fmt.Sprint(actions, " actions"), func(t *testing.T) {
			place := where(t)
			w := &witness{t: t, fences: map[string]bool{}, wrote: map[string]told{}}
			rng := rand.New(rand.NewPCG(1, uint64(actions)))
			var members sync.WaitGroup
			for i := range 10 {
				killAfter := 1 + rng.IntN(40)
				if i >= 8 {
					killAfter = 0
				}
				out, cmd := member(t, place, actions)
				members.Go(func() { w.watch(out, cmd, killAfter) })
			}
			members.Wait()
			s := open(t, place)
			defer s.Close()
			w.compare(s, actions)
		})
	}
}

func member(t *testing.T, place string, actions int) (io.Reader, *exec.Cmd) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crowdStore+"="+place, crowdActions+"="+fmt.Sprint(actions))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return out, cmd
}

// witness keeps what members told.
type witness struct {
	t      *testing.T
	mu     sync.Mutex
	fences map[string]bool
	wrote  map[string]told
}

// told is an acknowledged write.
type told struct {
	id      string
	fence   int64
	state   receipt.State
	attempt int
}

// watch reads a member to its end and kills it after so many lines, unless that is 0.
func (w *witness) watch(out io.Reader, cmd *exec.Cmd, killAfter int) {
	lines := bufio.NewScanner(out)
	for n := 1; lines.Scan(); n++ {
		w.note(lines.Text())
		if n == killAfter {
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); killAfter == 0 {
		assert.NoError(w.t, err)
	}
}

func (w *witness) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var kind string
	var m told
	_, _ = fmt.Sscan(line, &kind, &m.id, &m.fence, &m.state, &m.attempt)
	switch kind {
	case "fence":
		at := fmt.Sprint(m.id, " ", m.fence)
		assert.False(w.t, w.fences[at], "%s was given twice", at)
		w.fences[at] = true
	case "wrote":
		at := fmt.Sprint(m.id, " ", m.attempt)
		assert.NotContains(w.t, w.wrote, at, "an attempt was written twice")
		w.wrote[at] = m
	}
}

// compare holds the store against what was told.
func (w *witness) compare(s receipt.Store, actions int) {
	require.NotEmpty(w.t, w.wrote)
	stored := map[string]receipt.Receipt{}
	for n := range actions {
		r, err := s.Get(w.t.Context(), fmt.Sprintf("a%d", n))
		require.NoError(w.t, err)
		assert.Equal(w.t, receipt.Confirmed, r.State)
		assert.Equal(w.t, sends(actions)+1, r.Attempt, "each attempt is counted once")
		stored[r.ActionID] = r
	}
	for _, m := range w.wrote {
		r := stored[m.id]
		assert.LessOrEqual(w.t, m.fence, r.Fence, "fences only grow")
		assert.True(w.t, slices.ContainsFunc(r.History, func(e receipt.Entry) bool {
			return e.State == m.state && e.Attempt == m.attempt
		}), "%v was acknowledged and is lost", m)
	}
}
