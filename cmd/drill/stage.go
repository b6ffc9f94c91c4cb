package main

import (
	"context"
	"io"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// stage is what a command that runs trials opens: where results go, where built-in
// executors keep receipts, and the world. It ends in the other order.
type stage struct {
	out   *output
	kept  *kept
	world harness.World
}

// openStage opens all three, or none of them.
func openStage(ctx context.Context, stdout io.Writer, output, receipts string, where place, ps ...*targets.Profile) (_ *stage, err error) {
	s := &stage{}
	defer func() {
		if err != nil {
			err = worse(err, s.close())
		}
	}()
	if s.out, err = openOutput(output, stdout); err != nil {
		return nil, err
	}
	if s.kept, err = keep(ctx, receipts); err != nil {
		return nil, err
	}
	world, err := where.open(s.kept, ps...)
	if err != nil {
		return nil, err
	}
	s.world = world
	return s, nil
}

// close ends what was opened; what was written by then is kept.
func (s *stage) close() error {
	var err error
	if s.world != nil {
		err = worse(err, s.world.Close())
	}
	if s.kept != nil {
		err = worse(err, s.kept.close())
	}
	if s.out != nil {
		err = worse(err, s.out.close())
	}
	return err
}

// stage is the one that the flags ask for.
func (f *runFlags) stage(ctx context.Context, stdout io.Writer, ps ...*targets.Profile) (*stage, error) {
	return openStage(ctx, stdout, f.output, f.receipts, f.place, ps...)
}
