package worker

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// gate answers writes with the orders of a script and notes how they ended.
type gate struct {
	mu     sync.Mutex
	orders []RecordOrder
	asked  []Record
	ends   []RecordEnd
	err    error
}

func (g *gate) Write(_ context.Context, r Record, commit func(RecordOrder) RecordEnd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	order := RecordPass
	if len(g.orders) > 0 {
		order, g.orders = g.orders[0], g.orders[1:]
	}
	g.asked = append(g.asked, r)
	if g.err != nil {
		return g.err
	}
	g.ends = append(g.ends, commit(order))
	return nil
}

// talk joins a process's end to a world's; served is closed when that one ends.
func talk(t *testing.T, g RecordGate) (p *recordPipe, hangUp func(), served chan struct{}) {
	t.Helper()
	ask, asks := io.Pipe()
	answer, answers := io.Pipe()
	served = make(chan struct{})
	go func() {
		defer close(served)
		serveRecords(t.Context(), ask, answers, g)
		_ = answers.Close()
	}()
	hangUp = func() { _ = asks.Close() }
	t.Cleanup(func() { hangUp(); _ = ask.Close(); _ = answer.Close(); <-served })
	return newRecordPipe(answer, asks), hangUp, served
}

func TestRecordsCrossThePipe(t *testing.T) {
	g := &gate{orders: []RecordOrder{RecordPass, RecordFail, RecordLose}}
	p, hangUp, served := talk(t, g)
	var got []RecordOrder
	for i, end := range []RecordEnd{RecordWritten, RecordFailed, RecordLost} {
		require.NoError(t, p.Write(t.Context(), Record{ActionID: "a", State: "sent", Attempt: i}, func(o RecordOrder) RecordEnd {
			got = append(got, o)
			return end
		}))
	}
	require.Equal(t, []RecordOrder{RecordPass, RecordFail, RecordLose}, got)
	require.Equal(t, []RecordEnd{RecordWritten, RecordFailed, RecordLost}, g.ends)
	require.Equal(t, Record{"a", "sent", 2}, g.asked[2])
	hangUp()
	<-served
}

func TestAWorldThatIsGoneFailsTheWrite(t *testing.T) {
	p, _, served := talk(t, &gate{err: errors.New("killed there")})
	made := false
	err := p.Write(t.Context(), Record{}, func(RecordOrder) RecordEnd { made = true; return RecordWritten })
	require.ErrorIs(t, err, ErrRecords)
	require.False(t, made, "what the world does not allow is not written")
	<-served
}

func TestALifeThatEndsInsideAWrite(t *testing.T) {
	g := &gate{}
	p, hangUp, served := talk(t, g)
	err := p.Write(t.Context(), Record{}, func(RecordOrder) RecordEnd { hangUp(); return RecordWritten })
	require.ErrorIs(t, err, ErrRecords)
	<-served
	require.Equal(t, []RecordEnd{RecordGone}, g.ends, "nobody knows what became of it")
}

// FuzzServeRecords: whatever a process says, the world's end comes to an end.
func FuzzServeRecords(f *testing.F) {
	f.Add([]byte(`{"record":{"action_id":"a","state":"sent"}}` + "\n" + `{"end":"written"}` + "\n"))
	f.Add([]byte(`{"record":{}}{"record":{}}`))
	f.Fuzz(func(t *testing.T, said []byte) {
		in, out := io.Pipe()
		go func() { _, _ = out.Write(said); _ = out.Close() }()
		g := &gate{}
		serveRecords(t.Context(), in, io.Discard, g)
		_ = in.Close()
		for _, end := range g.ends {
			require.NotEmpty(t, end)
		}
	})
}
