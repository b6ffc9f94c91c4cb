package sim

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPatienceIsAContext: what is asked of it before its end and after, and of contexts
// that are derived from it, is answered as by one of package context.
func TestPatienceIsAContext(t *testing.T) {
	type key struct{}
	enough := errors.New("enough")
	for _, why := range []error{enough, nil} {
		p := &patience{}
		want, stop := context.WithCancelCause(context.Background())
		same := func() {
			require.Equal(t, want.Err(), p.Err())
			require.Equal(t, context.Cause(want), context.Cause(p))
			require.Nil(t, p.Value(key{}))
		}
		same()
		before := waiters()
		child, done := context.WithCancel(context.WithValue(p, key{}, 1))
		require.Subset(t, before, waiters(), "nobody has to wait for its end")
		select {
		case <-p.Done():
			t.Fatal("it goes on")
		default:
		}
		stop(why)
		p.end(why)
		p.end(errors.New("said before"))
		same()
		<-p.Done()
		require.ErrorIs(t, child.Err(), context.Canceled)
		require.Equal(t, context.Cause(want), context.Cause(child))
		done()
	}
}

// waiters are the goroutines, by number, that package context has begun to wait for the end
// of a parent that it does not know. Others may end meanwhile, and are not counted.
func waiters() (out []string) {
	room := make([]byte, 1<<20)
	for one := range strings.SplitSeq(string(room[:runtime.Stack(room, true)]), "\n\n") {
		if strings.Contains(one, "created by context.(*cancelCtx).propagateCancel") {
			out = append(out, strings.Fields(one)[1])
		}
	}
	return out
}

// unknown is a context that package context can not look into.
type unknown struct{ context.Context }

func (u unknown) Done() <-chan struct{} { return u.Context.Done() }
func (unknown) Value(any) any           { return nil }

// TestWaitersAreSeen: where somebody has to wait it is counted.
func TestWaitersAreSeen(t *testing.T) {
	parent, stop := context.WithCancel(t.Context())
	defer stop()
	before := waiters()
	_, done := context.WithCancel(unknown{parent})
	defer done()
	require.NotSubset(t, before, waiters())
}

// TestPatienceThatNobodyAsks: a lookup that comes down to it makes nothing, and who asks
// only after its end hears of it.
func TestPatienceThatNobodyAsks(t *testing.T) {
	type key struct{}
	enough := errors.New("enough")
	p := &patience{}
	require.Nil(t, context.WithoutCancel(p).Value(key{}))
	require.NoError(t, p.Err())
	require.Nil(t, p.real)
	p.end(enough)
	<-p.Done()
	require.Equal(t, enough, context.Cause(p))
}
