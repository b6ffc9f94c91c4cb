package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/retrydrill/drill/harness"
)

// exitFailed is the status of a failed delivery that may be handed over again
// (EX_TEMPFAIL of sysexits.h).
const exitFailed = 75

// Child runs a built-in executor and reports true where this process was started
// as one; main and TestMain call it first. The exit status is the caller's to use.
func Child(builtins map[string]New) (exit int, is bool) {
	name := os.Getenv(EnvBuiltin)
	if name == "" {
		return 0, false
	}
	start, ok := builtins[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no built-in executor %q\n", name)
		return 2, true
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := serveOnce(ctx, start, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed, true
	}
	return 0, true
}

func serveOnce(ctx context.Context, start New, in io.Reader, out io.Writer) error {
	env := envFrom(os.Getenv)
	pipe, watched := env.Records.(*recordPipe)
	if watched {
		pipe.ready()
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	job, err := DecodeJob(raw)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	run, stop, err := start(env)
	if err != nil {
		return err
	}
	var wrote error
	err = run(ctx, env, job, func(r harness.Report) {
		line, err := json.Marshal(r)
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		if watched && err == nil {
			pipe.printed(line)
		}
		if err != nil {
			wrote = fmt.Errorf("report: %w", err)
		}
	})
	if cerr := stop(); err == nil {
		err = cerr
	}
	if err == nil {
		err = wrote
	}
	return err
}
