package sim

import (
	"context"
	"errors"
	"runtime"
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
		before := runtime.NumGoroutine()
		child, done := context.WithCancel(context.WithValue(p, key{}, 1))
		require.Equal(t, before, runtime.NumGoroutine(), "nobody has to wait for its end")
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
