package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// stopGrace is how long requests may take to end after an interrupt.
const stopGrace = 5 * time.Second

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve PROFILE",
		Short: "Run a fake on a port of its own",
		Long: `Run the fake of a profile on a loopback port, for tests in other languages. Its
address stands in the first line of standard output, each effect on standard
error. GET /healthz answers 200. An interrupt ends it.`,
		Args: exactly(1, "the profile to serve"),
		RunE: func(c *cobra.Command, args []string) error { return f.serve(c, args[0]) },
	}
	c.Flags().IntVar(&f.port, "port", 0, "the port; 0 takes a free one")
	c.Flags().StringVar(&f.token, "token", "sk_test_drill", "what callers have to send as their key; empty demands nothing")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the source of every ID")
	return c
}

type serveFlags struct {
	port  int
	token string
	seed  uint64
}

func (s *serveFlags) serve(c *cobra.Command, profile string) error {
	p, err := targets.Load(profile)
	if err != nil {
		return err
	}
	if s.port < 0 || s.port > 65535 {
		return fmt.Errorf("--port is %d: expected 0 to 65535", s.port)
	}
	a := p.DefaultAction()
	fake, err := fakes.New(p, fakes.Options{Token: s.token, Seed: s.seed, Limits: harness.DefaultLimits(), Action: a})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)))
	if err != nil {
		return errors.Join(fmt.Errorf("serve %s: %w", p.Name, err), fake.Close())
	}
	effects := 0
	fake.Watch(func(e harness.Effect) {
		effects++
		fmt.Fprintf(c.ErrOrStderr(), "effect %d: %s %s of %s, key %q\n", e.Seq, e.Kind, e.Resource, e.BusinessKey, e.Key)
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/", fake)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: stopGrace}
	fmt.Fprintf(c.OutOrStdout(), "%s at http://%s\n", p.Name, l.Addr())
	if s.token != "" {
		fmt.Fprintf(c.ErrOrStderr(), "token %s; stop with an interrupt\n", s.token)
	}
	stopped := make(chan error, 1)
	unhook := context.AfterFunc(c.Context(), func() {
		grace, end := context.WithTimeout(context.Background(), stopGrace)
		defer end()
		stopped <- server.Shutdown(grace)
	})
	err = server.Serve(l)
	if !unhook() && errors.Is(err, http.ErrServerClosed) {
		err = <-stopped
	}
	err = errors.Join(err, fake.Close())
	fmt.Fprintf(c.ErrOrStderr(), "stopped after %d effects\n", effects)
	return err
}
