package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// MaxOutput is how much a worker may print without a caveat, in bytes. Its reports
// count wherever they stand. A line longer than maxLine is log, not a report.
const (
	MaxOutput = 1 << 20
	maxLine   = 64 << 10
)

// ErrReport is returned for a line that is meant as a report and is none.
var ErrReport = errors.New("a report needs action_id and one of the outcomes done, rejected, needs_review, waiting")

// ParseReport reads one line of output. ok is false for a line that is no report.
func ParseReport(line []byte) (r harness.Report, ok bool, err error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || !json.Valid(line) {
		return r, false, nil
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(line, &keys) != nil || keys["action_id"] == nil || keys["outcome"] == nil {
		return r, false, nil
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, false, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if !slices.Contains(harness.Outcomes, r.Outcome) || r.ActionID == "" {
		return r, false, fmt.Errorf("%w: outcome is %q", ErrReport, r.Outcome)
	}
	return r, true, nil
}

// readLines calls line for each line of r, cut at maxLine, and returns the number
// of bytes read. It reads to the end whatever line does.
func readLines(r io.Reader, line func(text []byte, whole bool)) int64 {
	var total int64
	var held []byte
	skipping := false
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		total += int64(n)
		for rest := buf[:n]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			part := rest
			if i >= 0 {
				part, rest = rest[:i], rest[i+1:]
			} else {
				rest = nil
			}
			if !skipping {
				held = append(held, part...)
				if len(held) > maxLine {
					line(held[:maxLine], false)
					held, skipping = held[:0], true
				}
			}
			if i >= 0 {
				if !skipping {
					line(held, true)
				}
				held, skipping = held[:0], false
			}
		}
		if err != nil {
			if len(held) > 0 && !skipping {
				line(held, true)
			}
			return total
		}
	}
}

// dispatch hands a line on and reports whether it was a report, or meant as one.
func dispatch(text []byte, whole bool, on Listener) (report bool) {
	if whole {
		r, ok, err := ParseReport(text)
		if !ok && err != nil {
			r = harness.Report{Detail: err.Error()}
		}
		if report = ok || err != nil; report && on.Report != nil {
			on.Report(r)
			return true
		}
	}
	if on.Log != nil {
		on.Log(string(text))
	}
	return report
}
