package search

import (
	"cmp"
	"context"
	"errors"
	"sync"
)

// level runs all schedules of one number of faults, and judges them in order, each as
// soon as those before it are known. What ran when the context ended is judged, too.
func (e *explorer) level(ctx context.Context, level []node, depth int) ([]node, error) {
	known := e.out.Ran + len(level)
	if e.Budget > 0 {
		known = min(known, e.Budget)
		level = level[:min(len(level), max(0, e.Budget-e.out.Ran))]
	}
	var ran []node
	var ended error
	err := sideBySide(e.Parallel, len(level), func(i int) (err error) {
		level[i].run, err = e.carry(ctx, level[i])
		return err
	}, func(i int, err error) (bool, error) {
		switch n := level[i]; {
		case err != nil && over(ctx, err):
			ended = err
			return true, nil
		case err != nil && n.root.condition != "" && len(n.faults) == 0:
			// The target can not be so.
			e.out.left(n.root.condition, err.Error())
			return true, nil
		case err != nil:
			return false, err
		}
		e.out.judge(level[i], depth)
		ran = append(ran, level[i])
		if e.Progress != nil {
			e.Progress(Progress{Ran: e.out.Ran, Known: known, Findings: len(e.out.Findings)})
		}
		return !e.enough(), nil
	})
	return ran, cmp.Or(err, ended)
}

// sideBySide does n things, so many side by side, and takes what came of them in their
// order, until there are no more, take says so, or it returns an error.
func sideBySide(parallel, n int, do func(int) error, take func(int, error) (more bool, err error)) (err error) {
	errs, done := make([]error, n), make([]bool, n)
	next, came := make(chan int), make(chan int, n)
	var workers sync.WaitGroup
	for range min(parallel, n) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
				came <- i
			}
		})
	}
	defer workers.Wait()
	defer close(next)
	for given, taken := 0, 0; taken < n; {
		give := next
		if given == n {
			give = nil
		}
		select {
		case give <- given:
			given++
		case i := <-came:
			done[i] = true
		}
		for more := true; taken < given && done[taken]; taken++ {
			if more, err = take(taken, errs[taken]); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// over reports whether an error is that of a context that ended.
func over(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return cause != nil && errors.Is(err, cause)
}
