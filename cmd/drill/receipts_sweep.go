package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/reference"
	"github.com/retrydrill/drill/harness/worker"
	"github.com/retrydrill/drill/targets"
)

func receiptsSweepCommand() *cobra.Command {
	var b storeFlags
	f := sweepFlags{retention: map[string]string{}}
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Settle old receipts by asking the target, and archive expired ones",
		Long: `Take up receipts that earlier lives left without an answer, each under its claim,
and ask the target what became of them, with the reference executor's own code: one
match is confirmed, proven absence rejected, the rest goes to a person. Nothing is
ever sent. What a worker holds, and what its delivery may still bring, is left.

With --retention, what is confirmed or rejected and can not come again on any path
is moved to the archive, and what was approved and can not come any more is settled,
too. Every path has to be declared: ` + receipt.PathNames() + `; each is
the longest time from an action's last change to the last moment at which the path
can bring it again, 0 for never or forever. Without key-window the profile's counts.

Without --apply it asks the target, says what would become of each receipt, and
writes nothing.

Exit status: 0 everything that was taken up is known now, 2 something is left, or
needs a person, 3 the receipts or the target can not be read.`,
		Example: `  drill receipts sweep --db state/receipts.db --target stripe-v1 --url https://api.example.com --token-env API_KEY
  drill receipts sweep --postgres --target stripe-v1 --url $URL --apply \
    --retention producer-retries=24h,redelivery=96h,resume=0,requeue=336h`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return b.with(c.Context(), func(s receipt.Books) error { return f.sweep(c.Context(), s, c.OutOrStdout()) })
		},
	}
	b.flags(c)
	c.Flags().StringVar(&f.target, "target", "", "the profile of the target: a built-in one or a file")
	c.Flags().StringVar(&f.url, "url", "", "the base URL of the target")
	c.Flags().StringVar(&f.tokenEnv, "token-env", "", "the environment variable that holds the target's token")
	c.Flags().DurationVar(&f.older, "older-than", 15*time.Minute, "take up only what did not change for so long")
	c.Flags().DurationVar(&f.deadline, "deadline", 10*time.Second, "the bound on one request to the target")
	c.Flags().StringToStringVar(&f.retention, "retention", nil, "how long each path can bring an action again: path=duration,…")
	c.Flags().BoolVar(&f.apply, "apply", false, "write what was found")
	c.Flags().StringVar(&f.format, "format", "text", "text, or json: one object a line")
	for _, name := range []string{"target", "url"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

type sweepFlags struct {
	target, url, tokenEnv, format string
	older, deadline               time.Duration
	retention                     map[string]string
	apply                         bool

	profile *targets.Profile
	token   string
	paths   receipt.Retention
}

func (f *sweepFlags) check() (err error) {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	if f.profile, err = targets.Load(f.target); err != nil {
		return err
	}
	if u, err := url.Parse(f.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return errors.New("--url: expected http:// or https:// and a host, without a password")
	}
	if f.older < 0 || f.deadline <= 0 {
		return fmt.Errorf("--older-than is %s and --deadline %s: expected 0 or more, and more than 0", f.older, f.deadline)
	}
	if f.tokenEnv != "" {
		if f.token = os.Getenv(f.tokenEnv); f.token == "" {
			return fmt.Errorf("--token-env: %s is not set", f.tokenEnv)
		}
	}
	return f.readRetention()
}

// readRetention puts the profile's key window where none is declared.
func (f *sweepFlags) readRetention() error {
	if len(f.retention) == 0 {
		return nil
	}
	f.paths = receipt.Retention{}
	switch k := f.profile.Promises().Key; {
	case !k.Kept:
		f.paths[receipt.KeyWindow] = 0
	case k.Retention == 0:
		f.paths[receipt.KeyWindow] = receipt.Forever
	default:
		f.paths[receipt.KeyWindow] = k.Retention.D()
	}
	for path, text := range f.retention {
		d := receipt.Forever
		if text != "forever" {
			var err error
			if d, err = time.ParseDuration(text); err != nil {
				return fmt.Errorf("--retention: %s=%s: expected a duration like 96h, 0 or forever", path, text)
			}
		}
		f.paths[receipt.Path(path)] = d
	}
	if err := f.paths.Check(); err != nil {
		return fmt.Errorf("--retention: %w", err)
	}
	return nil
}

// swept is what became of one receipt, or would.
type swept struct {
	ActionID string        `json:"action_id"`
	From     receipt.State `json:"from"`
	To       receipt.State `json:"to"`
	Archived bool          `json:"archived,omitempty"`
	Resource string        `json:"resource_id,omitempty"`
	// Why is why it was left, or what it was settled by.
	Why string `json:"why,omitempty"`
	// Applied: it is written.
	Applied bool `json:"applied"`
}

// sweep asks for each receipt in turn; what one comes to is printed at once.
func (f *sweepFlags) sweep(ctx context.Context, s receipt.Books, out io.Writer) error {
	at, store := receipt.Store(s), receipt.NewMemory()
	if !f.apply {
		at = store
	}
	sweeper, err := reference.NewSweeper(worker.Env{
		TargetURL: strings.TrimSuffix(f.url, "/"), Token: f.token, Profile: f.target, ClientDeadline: f.deadline, Lease: 3 * f.deadline,
		KeyRetention: f.profile.Promises().Key.Retention.D(), HTTP: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}, Clock: harness.SystemClock{}, Seed: 1,
	}, func(*worker.Env) (receipt.Store, error) { return at, nil })
	if err != nil {
		return err
	}
	now := time.Now()
	counts := map[string]int{}
	one := func(r receipt.Receipt) error {
		if !f.apply {
			// The same code on a copy: what it would write, and nothing is written.
			store.Keep(r)
		}
		w, err := f.settle(ctx, sweeper, r, now)
		if err != nil {
			return err
		}
		counts[w.kind()]++
		return f.print(out, w)
	}
	pending := receipt.Query{States: []receipt.State{receipt.Prepared, receipt.Approved, receipt.Sent, receipt.Unknown}, ChangedBefore: now.Add(-f.older)}
	if err := s.Each(ctx, pending, one); err != nil {
		return err
	}
	if err := f.expire(ctx, s, now, out, counts); err != nil {
		return err
	}
	return f.sum(out, counts)
}

func (f *sweepFlags) settle(ctx context.Context, sweeper *reference.Sweeper, r receipt.Receipt, now time.Time) (swept, error) {
	at, ends := f.paths.Expires(r)
	after, err := sweeper.Sweep(ctx, r, f.paths != nil && ends && !now.Before(at))
	w := swept{ActionID: r.ActionID, From: r.State, To: after.State, Resource: after.Resource, Why: cmp.Or(after.Detail, after.ErrorClass), Applied: f.apply}
	switch {
	case ctx.Err() != nil:
		return w, context.Cause(ctx)
	case errors.Is(err, receipt.ErrUnwritable), errors.Is(err, receipt.ErrDamaged), errors.Is(err, receipt.ErrFull), errors.Is(err, receipt.ErrGone):
		return w, err
	case err != nil:
		w.Why, w.Applied = err.Error(), false
	}
	return w, nil
}

// expire archives what is terminal and can not come again.
func (f *sweepFlags) expire(ctx context.Context, s receipt.Books, now time.Time, out io.Writer, counts map[string]int) error {
	if f.paths == nil {
		return nil
	}
	terminal := receipt.Query{States: []receipt.State{receipt.Confirmed, receipt.Rejected}}
	return s.Each(ctx, terminal, func(r receipt.Receipt) error {
		if f.paths.Expired(r, now) != nil {
			return nil
		}
		w := swept{ActionID: r.ActionID, From: r.State, To: r.State, Archived: true, Resource: r.Resource, Applied: f.apply}
		if f.apply {
			err := s.Archive(ctx, r, now)
			if errors.Is(err, receipt.ErrStale) || errors.Is(err, receipt.ErrMissing) {
				return nil // somebody leads it on, or was first
			}
			if err != nil {
				return err
			}
		}
		counts[w.kind()]++
		return f.print(out, w)
	})
}

func (w swept) kind() string {
	switch {
	case w.Archived:
		return "archived"
	case w.To == receipt.NeedsReview:
		return "for a person"
	case !w.To.Settled():
		return "left"
	}
	return string(w.To)
}

func (f *sweepFlags) print(out io.Writer, w swept) error {
	w.Why = f.hide(w.Why)
	if f.format == "json" {
		return printLine(out, w)
	}
	to := string(w.To)
	switch {
	case w.Archived:
		to = "archive"
	case !w.To.Settled():
		to = "left"
	}
	line := fmt.Sprintf("%s: %s -> %s", w.ActionID, w.From, to)
	for _, more := range []string{w.Resource, w.Why} {
		if more != "" {
			line += ", " + more
		}
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// hide keeps the token out of what is printed, whoever said it.
func (f *sweepFlags) hide(s string) string {
	if f.token == "" {
		return s
	}
	return strings.ReplaceAll(s, f.token, "<secret>")
}

// sum says what it came to; what is open ends the command with exit status 2.
func (f *sweepFlags) sum(out io.Writer, counts map[string]int) error {
	if f.format == "text" {
		mode := "written"
		if !f.apply {
			mode = "nothing is written without --apply"
		}
		fmt.Fprintf(out, "%d confirmed, %d rejected, %d for a person, %d left, %d archived; %s\n",
			counts["confirmed"], counts["rejected"], counts["for a person"], counts["left"], counts["archived"], mode)
	}
	if counts["left"]+counts["for a person"] > 0 {
		return finding(harness.Inconclusive)
	}
	return nil
}
