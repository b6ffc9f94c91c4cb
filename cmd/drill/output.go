package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// output is where results go: standard output, or a file that is there whole once
// the command ends.
type output struct {
	io.Writer
	file *os.File
	path string
}

func openOutput(path string, stdout io.Writer) (*output, error) {
	if path == "" {
		return &output{Writer: stdout}, nil
	}
	if at, err := os.Stat(path); err == nil && at.IsDir() {
		return nil, fmt.Errorf("--output: %s is a folder: expected a file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		// The name is the temporary file's, which nobody asked for.
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("--output: %s: %w", path, err)
	}
	return &output{Writer: f, file: f, path: path}, nil
}

// close puts the file in its place, also when the command found something; what is
// known is kept.
func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Chmod(0o644)
	if cerr := o.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.path)
	}
	if err != nil {
		_ = os.Remove(o.file.Name())
		return fmt.Errorf("--output: %w", err)
	}
	return nil
}

// discard takes back what was written so far.
func (o *output) discard() error {
	if o.file == nil {
		return nil
	}
	return errors.Join(o.file.Close(), os.Remove(o.file.Name()))
}

// colored: a terminal, and nobody asked for plain text (https://no-color.org).
func colored(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// writeJSON writes one value, indented, as it is.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
