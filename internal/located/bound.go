package located

import (
	"bytes"
	"fmt"
)

// Bounds on what is parsed: the YAML reader's time and memory grow with the square of
// the depth, so that a few kilobytes of brackets would take gigabytes. Nobody writes
// a document of more than these.
const (
	MaxDepth = 200
	MaxBytes = 256 << 10
)

// Text refuses what is no text at all, an archive or a program: with a control character
// that no document has, and that no terminal should be sent.
func Text(name string, b []byte) error {
	at := bytes.IndexFunc(b, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f })
	if at < 0 {
		return nil
	}
	before := b[:at]
	return &Error{File: name, Line: bytes.Count(before, []byte("\n")) + 1, Column: at - bytes.LastIndexByte(before, '\n'),
		Reason: fmt.Sprintf("this is no text: a byte 0x%02x stands here", b[at])}
}

// bounded refuses a document that is larger or deeper than what anybody writes.
func (f *File) bounded() error {
	if len(f.text) > MaxBytes {
		return f.at(1, 1, fmt.Sprintf("the file has %d bytes: expected at most %d", len(f.text), MaxBytes), nil)
	}
	if err := Text(f.name, f.text); err != nil {
		return err
	}
	if line, column, deep := TooDeep(f.text); deep {
		return f.at(line, column, fmt.Sprintf("the document is too deep: more than %d levels", MaxDepth), nil)
	}
	return nil
}

// TooDeep finds where brackets, the marks of lists in lists, or indentation are nested
// deeper than [MaxDepth]. It reads bytes and parses nothing: a bracket in a string
// counts too.
func TooDeep(b []byte) (line, column int, deep bool) {
	depth, marks, start := 0, 0, 0
	line = 1
	var indents []int
	begins := true
	for i, c := range b {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', ':':
			marks++
		case ' ':
			continue
		case '\n':
			line, start, marks, begins = line+1, i+1, 0, true
			continue
		default:
			marks = 0
		}
		if begins {
			indents, begins = indented(indents, i-start), false
		}
		if depth+len(indents)-1 > MaxDepth || marks > MaxDepth {
			return line, i - start + 1, true
		}
	}
	return 0, 0, false
}

// indented are the levels of indentation that a line is in.
func indented(levels []int, n int) []int {
	for len(levels) > 0 && levels[len(levels)-1] >= n {
		levels = levels[:len(levels)-1]
	}
	return append(levels, n)
}
