// Command drill proves or disproves that an executor is retry-safe: however often
// its work is retried, redelivered, raced or killed, the target sees one effect.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/retrydrill/drill/harness/worker"
)

func main() {
	// A built-in executor is a child of this very binary, so that it can be killed.
	if exit, is := worker.Child(builtins()); is {
		os.Exit(exit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second interrupt ends drill the hard way.
	context.AfterFunc(ctx, stop)
	err := root().ExecuteContext(ctx)
	tell(os.Stderr, err)
	os.Exit(exitCode(err))
}
