package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/fakes"
	"github.com/retrydrill/drill/fakes/control"
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/wire"
	"github.com/retrydrill/drill/targets"
)

// stopGrace is how long requests may take to end after an interrupt.
const stopGrace = 5 * time.Second

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve PROFILE",
		Short: "Run a fake on a port of its own, for tests in any language",
		Long: `Run the fake of a profile behind drill's proxy and tap, and on a second port an
API that arms faults, reads the ledger and begins anew (docs/serve.md; GET / lists
it). The first line of standard output names both addresses; each effect is told on
standard error. An interrupt ends it: requests in flight get their answers.`,
		Example: `  drill serve stripe-v1
  drill serve stripe-v1 --port 4000 --control-port 4001 --set stale-read=2s
  drill serve ./my-api.yaml --format json`,
		Args: exactly(1, "the profile to serve"),
		RunE: func(c *cobra.Command, args []string) error { return f.serve(c, args[0]) },
	}
	c.Flags().StringVar(&f.host, "host", "127.0.0.1", "the address that both ports listen on")
	c.Flags().IntVar(&f.port, "port", 0, "the fake's port; 0 takes a free one")
	c.Flags().IntVar(&f.control, "control-port", 0, "the control API's port; 0 takes a free one")
	c.Flags().StringVar(&f.token, "token", "sk_test_drill", "what callers have to send as their key; empty demands nothing")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the source of every ID")
	c.Flags().StringVar(&f.settings, "settings", "", "read settings of the target from this YAML file, as in a schedule")
	c.Flags().StringArrayVar(&f.set, "set", nil, "one setting, KEY=VALUE, over those of the file; repeatable")
	c.Flags().StringVar(&f.format, "format", "text", "text or json: how the addresses are told")
	return c
}

type serveFlags struct {
	host          string
	port, control int
	token         string
	seed          uint64
	settings      string
	set           []string
	format        string
}

func (s *serveFlags) check() error {
	if err := checkFormat(s.format); err != nil {
		return err
	}
	for _, p := range []struct {
		flag string
		port int
	}{{"--port", s.port}, {"--control-port", s.control}} {
		if p.port < 0 || p.port > 65535 {
			return fmt.Errorf("%s is %d: expected 0 to 65535", p.flag, p.port)
		}
	}
	if s.port != 0 && s.port == s.control {
		return fmt.Errorf("--port and --control-port are both %d: the fake and its control API need one each", s.port)
	}
	return nil
}

func (s *serveFlags) serve(c *cobra.Command, profile string) error {
	p, err := targets.Load(profile)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	settings, err := s.target()
	if err != nil {
		return err
	}
	loopback, err := s.loopback()
	if err != nil {
		return err
	}
	listen := func(port int) string { return net.JoinHostPort(s.host, strconv.Itoa(port)) }
	talk := &effectVoice{w: c.ErrOrStderr()}
	stand, err := wire.OpenStand(wire.StandOptions{Target: fakes.Of(p), Token: s.token, Listen: listen(s.port), Watch: talk.effect,
		Schedule: harness.Schedule{Version: harness.ScheduleVersion, World: "wire", Profile: p.Name, ProfileDigest: p.Digest(), Seed: s.seed,
			Settings: settings, Limits: harness.DefaultLimits(), Actions: []harness.Action{p.DefaultAction()}}})
	if err != nil {
		return fmt.Errorf("serve %s: %w", p.Name, err)
	}
	beside, err := net.Listen("tcp", listen(s.control))
	if err != nil {
		return errors.Join(fmt.Errorf("serve %s: control API: %w", p.Name, err), closeStand(stand))
	}
	api := control.New(stand, control.Options{Served: wire.Served(), Loopback: loopback,
		Operations: operations(p)})
	// What waits in the API ends with drill.
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	server := &http.Server{Handler: api, ReadHeaderTimeout: stopGrace, IdleTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx }}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(beside) }()

	if !loopback {
		talk.say("warning: %s is reached from other machines, and whoever reaches it can call the fake and control it", s.host)
	}
	err = s.announce(c.OutOrStdout(), p.Name, stand.URL(), "http://"+beside.Addr().String())
	if s.token != "" {
		talk.say("token %s; stop with an interrupt", s.token)
	}
	if err == nil {
		select {
		case <-c.Context().Done():
		case err = <-failed:
		}
	}
	stop()
	grace, end := context.WithTimeout(context.Background(), stopGrace)
	defer end()
	err = errors.Join(err, server.Shutdown(grace), closeStand(stand))
	talk.say("stopped after %d effects", talk.count())
	return err
}

func closeStand(s *wire.Stand) error {
	grace, end := context.WithTimeout(context.Background(), stopGrace)
	defer end()
	return s.Close(grace)
}

// announce prints where both are, as the first thing on standard output.
func (s *serveFlags) announce(w io.Writer, profile, url, control string) error {
	if s.format == "json" {
		return json.NewEncoder(w).Encode(struct {
			Profile    string `json:"profile"`
			URL        string `json:"url"`
			ControlURL string `json:"control_url"`
			Token      string `json:"token"`
		}{profile, url, control, s.token})
	}
	_, err := fmt.Fprintf(w, "%s at %s control at %s\n", profile, url, control)
	return err
}

// loopback reports whether only this machine reaches the host.
func (s *serveFlags) loopback() (bool, error) {
	a, err := net.ResolveIPAddr("ip", s.host)
	if err != nil {
		return false, fmt.Errorf("--host %s: %w", s.host, err)
	}
	return a.IP.IsLoopback(), nil
}
