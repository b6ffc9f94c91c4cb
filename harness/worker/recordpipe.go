package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

// EnvRecords is set for a built-in executor that runs as a process: it names the two
// inherited file descriptors, "R,W", over which it asks at each write of its own
// store. On W it says which write comes next and what became of it, on R it is told
// what is wanted; one line of JSON each.
const EnvRecords = "DRILL_RECORDS"

// The descriptors behind standard error, in the order of exec.Cmd.ExtraFiles.
const (
	recordsIn  = 3
	recordsOut = 4
)

func recordsEnviron() string {
	return EnvRecords + "=" + strconv.Itoa(recordsIn) + "," + strconv.Itoa(recordsOut)
}

// recordLine is one line of the talk: Record asks, End tells, Order answers both.
type recordLine struct {
	Record *Record     `json:"record,omitempty"`
	End    RecordEnd   `json:"end,omitempty"`
	Order  RecordOrder `json:"order,omitempty"`
}

// ErrRecords is returned when the talk about a write breaks off.
var ErrRecords = errors.New("the world that stands at the record boundary is gone")

// recordPipe is the process's end: a [RecordGate] that asks across the pipe.
type recordPipe struct {
	mu  sync.Mutex
	in  *json.Decoder
	out *json.Encoder
}

// recordsFrom opens the process's end, or none where nobody asks.
func recordsFrom(get func(string) string) RecordGate {
	if get(EnvRecords) == "" {
		return nil
	}
	return newRecordPipe(os.NewFile(recordsIn, "records in"), os.NewFile(recordsOut, "records out"))
}

func newRecordPipe(in io.Reader, out io.Writer) *recordPipe {
	return &recordPipe{in: json.NewDecoder(in), out: json.NewEncoder(out)}
}

// Write implements [RecordGate]. One write at a time crosses.
func (p *recordPipe) Write(_ context.Context, r Record, commit func(RecordOrder) RecordEnd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	order, err := p.ask(recordLine{Record: &r})
	if err != nil {
		return err
	}
	_, err = p.ask(recordLine{End: commit(order)})
	return err
}

func (p *recordPipe) ask(l recordLine) (RecordOrder, error) {
	if err := p.out.Encode(l); err != nil {
		return "", fmt.Errorf("%w: %w", ErrRecords, err)
	}
	var answer recordLine
	if err := p.in.Decode(&answer); err != nil {
		return "", fmt.Errorf("%w: %w", ErrRecords, err)
	}
	return answer.Order, nil
}

// serveRecords is the world's end: it lets the gate stand at each write until the
// process is gone.
func serveRecords(ctx context.Context, in io.Reader, out io.Writer, gate RecordGate) {
	d, e := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var asked recordLine
		if d.Decode(&asked) != nil || asked.Record == nil {
			return
		}
		gone := false
		err := gate.Write(ctx, *asked.Record, func(order RecordOrder) RecordEnd {
			var told recordLine
			if e.Encode(recordLine{Order: order}) != nil || d.Decode(&told) != nil || told.End == "" {
				gone = true
				return RecordGone
			}
			return told.End
		})
		if err != nil || gone || e.Encode(recordLine{Order: RecordPass}) != nil {
			return
		}
	}
}
