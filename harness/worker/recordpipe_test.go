package worker

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"

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

func (g *gate) seen() []Record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

// talk joins a process's end to a world's; served is closed when that one ends.
func talk(t *testing.T, g RecordGate) (p *recordPipe, hangUp func(), served chan struct{}) {
	t.Helper()
	return talkAfter(t, g, &tally{})
}

// talkAfter is talk where reports are counted.
func talkAfter(t *testing.T, g RecordGate, reports *tally) (p *recordPipe, hangUp func(), served chan struct{}) {
	t.Helper()
	ask, asks := io.Pipe()
	answer, answers := io.Pipe()
	served = make(chan struct{})
	go func() {
		defer close(served)
		world{ask, answers, g, func() {}, reports.reach}.serve(t.Context())
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

// TestAWriteComesAfterTheReportsBeforeIt: two pipes have no order between them, what a
// worker does has one.
func TestAWriteComesAfterTheReportsBeforeIt(t *testing.T) {
	synctest.Test(t, writeAfterReports)
}

func writeAfterReports(t *testing.T) {
	g, reports := &gate{}, &tally{}
	p, hangUp, served := talkAfter(t, g, reports)
	p.printed([]byte(`not a report`))
	p.printed([]byte(`{"action_id": "a", "outcome": "done"}`))
	p.printed([]byte(`{"action_id": "b", "outcome": "finished"}`))
	wrote := make(chan error, 1)
	go func() {
		wrote <- p.Write(t.Context(), Record{ActionID: "a"}, func(RecordOrder) RecordEnd { return RecordWritten })
	}()
	reports.add()
	synctest.Wait()
	select {
	case err := <-wrote:
		t.Fatalf("written with one of two reports read: %v", err)
	case <-reports.below(2):
		t.Fatal("nobody has read the second")
	default:
	}
	require.Empty(t, g.seen())
	reports.add()
	require.NoError(t, <-wrote)
	require.Len(t, g.seen(), 1)
	hangUp()
	<-served
}

// TestAProcessIsReadyOnce: before its first write, and what is told later is no write.
func TestAProcessIsReadyOnce(t *testing.T) {
	g, ready := &gate{}, 0
	in, out := io.Pipe()
	go func() {
		p := newRecordPipe(nil, out)
		p.ready()
		p.ready()
	}()
	world{in, io.Discard, g, func() { ready++ }, (&tally{}).reach}.serve(t.Context())
	require.NoError(t, in.Close())
	require.Equal(t, 1, ready)
	require.Empty(t, g.asked)
}

// TestALifeThatEndsBeforeItsReportIsRead holds up nobody.
func TestALifeThatEndsBeforeItsReportIsRead(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	(&tally{}).reach(ctx, 1)
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
	f.Add([]byte(`{"ready":true}{"ready":true}{"record":{}}`))
	f.Add([]byte(`{"record":{}}{"record":{}}`))
	f.Fuzz(func(t *testing.T, said []byte) {
		in, out := io.Pipe()
		go func() { _, _ = out.Write(said); _ = out.Close() }()
		g := &gate{}
		ready := 0
		world{in, io.Discard, g, func() { ready++ }, (&tally{}).reach}.serve(t.Context())
		_ = in.Close()
		require.LessOrEqual(t, ready, 1)
		for _, end := range g.ends {
			require.NotEmpty(t, end)
		}
	})
}
