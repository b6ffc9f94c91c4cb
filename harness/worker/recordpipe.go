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
	"sync/atomic"
)

// envRecords is set for a built-in executor that runs as a process: it names the two
// inherited file descriptors, "R,W", over which it asks at each write of its own
// store. On W it says which write comes next and what became of it, on R it is told
// what is wanted; one line of JSON each.
const envRecords = "DRILL_RECORDS"

// The descriptors behind standard error, in the order of exec.Cmd.ExtraFiles.
const (
	recordsIn  = 3
	recordsOut = 4
)

func recordsEnviron() string {
	return envRecords + "=" + strconv.Itoa(recordsIn) + "," + strconv.Itoa(recordsOut)
}

// recordLine is one line of the talk: Record asks, End tells, Order answers both.
// Reports is how many reports stand on standard output by then: it is another pipe,
// and what was printed before a write is read before it. Ready comes first, once, and
// nobody answers it.
type recordLine struct {
	Ready   bool        `json:"ready,omitempty"`
	Record  *Record     `json:"record,omitempty"`
	Reports int         `json:"reports,omitempty"`
	End     RecordEnd   `json:"end,omitempty"`
	Order   RecordOrder `json:"order,omitempty"`
}

// ErrRecords is returned when the talk about a write breaks off.
var ErrRecords = errors.New("the world that stands at the record boundary is gone")

// recordPipe is the process's end: a [RecordGate] that asks across the pipe.
type recordPipe struct {
	mu  sync.Mutex
	in  *json.Decoder
	out *json.Encoder
	// reports counts those that were printed.
	reports atomic.Int64
}

// recordsFrom opens the process's end, or none where nobody asks.
func recordsFrom(get func(string) string) RecordGate {
	if get(envRecords) == "" {
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
	order, err := p.ask(recordLine{Record: &r, Reports: int(p.reports.Load())})
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

// ready tells the world that the process has come to its job. Where nobody listens any
// more, the first write says so.
func (p *recordPipe) ready() { _ = p.out.Encode(recordLine{Ready: true}) }

// printed notes a line of standard output, if the world will take it as a report.
func (p *recordPipe) printed(line []byte) {
	if _, ok, err := ParseReport(line); (ok || err != nil) && len(line) <= maxLine {
		p.reports.Add(1)
	}
}

// world is the other end of the pipe.
type world struct {
	in   io.Reader
	out  io.Writer
	gate RecordGate
	// ready is called once the process has come to its job, and read waits until so
	// many reports were read.
	ready func()
	read  func(context.Context, int)
}

// serve lets the gate stand at each write until the process is gone.
func (w world) serve(ctx context.Context) {
	d, e := json.NewDecoder(w.in), json.NewEncoder(w.out)
	for first := true; ; first = false {
		var asked recordLine
		err := d.Decode(&asked)
		if err == nil && asked.Ready && first {
			w.ready()
			continue
		}
		if err != nil || asked.Record == nil {
			return
		}
		w.read(ctx, asked.Reports)
		gone := false
		err = w.gate.Write(ctx, *asked.Record, func(order RecordOrder) RecordEnd {
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
