package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// HistoryVersion is the version line of a recorded history.
const HistoryVersion = "drill.history/v1"

// History is everything that happened in one trial, in order.
type History struct {
	Version  string   `json:"version"`
	Schedule Schedule `json:"schedule"`
	Promises Promises `json:"promises"`
	// Events are in order; Seq of the i-th is i+1.
	Events []Event `json:"-"`
	// Lines are the texts of the schedule's faults, in their order, where the world has
	// them: judging then spells none once more. What was stored has none.
	Lines []string `json:"-"`
	// Room is what the world made it in, which [Reuse] gives back with it.
	Room any `json:"-"`
}

// IsLine reports whether a text is the i-th fault of the schedule as it is written.
func (h *History) IsLine(i int, text string) bool {
	if len(h.Lines) == len(h.Schedule.Faults) {
		return text == h.Lines[i]
	}
	return h.Schedule.Faults[i].reads(text)
}

// FaultFired says whether a scheduled fault was carried out.
type FaultFired struct {
	Fault string `json:"fault"`
	Fired bool   `json:"fired"`
}

// FaultsFired reports for each scheduled fault whether an event shows it.
func (h *History) FaultsFired() []FaultFired {
	fired := map[string]bool{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == EvFault {
			fired[e.Fault] = true
		}
	}
	out := make([]FaultFired, 0, len(h.Schedule.Faults))
	for _, f := range h.Schedule.Faults {
		out = append(out, FaultFired{f.String(), fired[f.String()]})
	}
	return out
}

// Fired reports whether an event shows that the line was carried out.
func (h *History) Fired(f *Fault) bool {
	line := f.String()
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == EvFault && e.Fault == line {
			return true
		}
	}
	return false
}

// Write writes JSON Lines: the version line with schedule and promises, then one
// line an event.
func (h *History) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	h.Version = HistoryVersion
	if err := e.Encode(h); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	for i := range h.Events {
		if err := e.Encode(&h.Events[i]); err != nil {
			return fmt.Errorf("history: event %d: %w", i+1, err)
		}
	}
	return b.Flush()
}

// ErrHistory is returned for a history file that can not be read.
var ErrHistory = errors.New("history can not be read")

// ReadHistory reads what Write wrote. Unknown keys are refused with line and column.
func ReadHistory(r io.Reader) (*History, error) {
	b := bufio.NewReader(r)
	h := &History{}
	for n := 1; ; n++ {
		line, err := b.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%w: line %d: %w", ErrHistory, n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			if err == io.EOF {
				break
			}
			return nil, fmt.Errorf("%w: line %d, column 1: the line is empty", ErrHistory, n)
		}
		if n == 1 {
			if err := strictLine(line, h); err != nil {
				return nil, fmt.Errorf("%w: line 1, %w", ErrHistory, err)
			}
			if h.Version != HistoryVersion {
				return nil, fmt.Errorf("%w: line 1: version is %q, expected %s", ErrHistory, h.Version, HistoryVersion)
			}
		} else {
			var e Event
			if err := strictLine(line, &e); err != nil {
				return nil, fmt.Errorf("%w: line %d, %w", ErrHistory, n, err)
			}
			if e.Seq != n-1 {
				return nil, fmt.Errorf("%w: line %d: seq is %d, expected %d; a line is missing", ErrHistory, n, e.Seq, n-1)
			}
			h.Events = append(h.Events, e)
		}
		if err == io.EOF {
			break
		}
	}
	if h.Version == "" {
		return nil, fmt.Errorf("%w: line 1: the file is empty, expected %s", ErrHistory, HistoryVersion)
	}
	return h, nil
}

// strictLine decodes one JSON line and says at which column it fails.
func strictLine(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if d.More() {
			return fmt.Errorf("column %d: something follows the object", d.InputOffset()+1)
		}
		return nil
	}
	column := d.InputOffset() + 1
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) {
		column = se.Offset
	}
	if te := (*json.UnmarshalTypeError)(nil); errors.As(err, &te) {
		column = te.Offset
	}
	if _, key, ok := strings.Cut(err.Error(), "unknown field "); ok {
		if i := bytes.Index(line, []byte(key+":")); i >= 0 {
			column = int64(i + 1)
		}
	}
	return fmt.Errorf("column %d: %s", column, strings.TrimPrefix(err.Error(), "json: "))
}
