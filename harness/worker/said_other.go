//go:build !linux && !darwin

package worker

import "os"

// said is what is printed by a worker that never is; see [ErrSystem].
type said struct{ *os.File }

func newSaid(f *os.File) (*said, error) { return &said{f}, nil }

func (*said) end() {}

func (*said) through() {}
