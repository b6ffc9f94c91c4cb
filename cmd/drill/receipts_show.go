package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/receipt"
)

func receiptsShowCommand() *cobra.Command {
	var b storeFlags
	var format string
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Did we send it? Everything known about one action",
		Long: `Answer "did we send it?" from one ID: the action's, its trigger's or business key,
the target's resource or request ID, or the approval's. The archive is looked at, too.

Exit status: 0 it is known whether it was done, 2 it is not known, or there is no
receipt (which proves nothing), 3 the receipts can not be read.`,
		Args: exactly(1, "the ID to look for"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			return b.with(c.Context(), func(s receipt.Books) error { return show(c, s, args[0], format) })
		},
	}
	b.flags(c)
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

// shown is what show prints of one receipt as JSON.
type shown struct {
	Schema string `json:"schema"`
	receipt.Told
	Receipt receipt.Receipt `json:"receipt"`
}

func show(c *cobra.Command, s receipt.Books, id, format string) error {
	found, err := findReceipts(c.Context(), s, id)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	known := len(found) > 0
	if !known && format == "text" {
		fmt.Fprintf(out, "MAYBE: no receipt has the ID %s, and that does not prove that nothing was sent\n", id)
	}
	if len(found) > 1 && format == "text" {
		fmt.Fprintf(out, "%d receipts have the ID %s\n\n", len(found), id)
	}
	for i, r := range found {
		told := receipt.Tell(r, time.Now())
		known = known && told.Done != receipt.Maybe
		if format == "json" {
			err = writeJSON(out, shown{"drill.receipt/v1", told, r})
		} else {
			if i > 0 {
				fmt.Fprintln(out)
			}
			err = showReceipt(c.Context(), out, s, r, told)
		}
		if err != nil {
			return err
		}
	}
	if !known {
		return finding(harness.Inconclusive)
	}
	return nil
}

// printLine prints JSON on one line.
func printLine(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// findReceipts looks by what is indexed, and otherwise through everything.
func findReceipts(ctx context.Context, s receipt.Books, id string) (out []receipt.Receipt, err error) {
	r, err := s.Get(ctx, id)
	if err == nil {
		return []receipt.Receipt{r}, nil
	}
	if !errors.Is(err, receipt.ErrMissing) {
		return nil, err
	}
	if out, err = s.ByTrigger(ctx, id); err != nil || len(out) > 0 {
		return out, err
	}
	for _, archived := range []bool{false, true} {
		err := s.Each(ctx, receipt.Query{Archived: archived}, func(r receipt.Receipt) error {
			if id == r.BusinessKey || id == r.Resource || id == r.RequestID || id == r.ApprovalID {
				out = append(out, r)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// showReceipt prints a receipt and, of an action in several steps, each step below it.
func showReceipt(ctx context.Context, w io.Writer, s receipt.Books, r receipt.Receipt, told receipt.Told) error {
	beside, err := s.ByTrigger(ctx, r.TriggerKey)
	if err != nil {
		return err
	}
	var steps []receipt.Receipt
	for _, o := range beside {
		if strings.HasPrefix(o.ActionID, r.ActionID+":") {
			steps = append(steps, o)
		}
	}
	return printReceipt(w, r, told, steps)
}

func printReceipt(w io.Writer, r receipt.Receipt, told receipt.Told, steps []receipt.Receipt) error {
	arguments, err := r.Arguments.Canonical()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(string(told.Done)), told.Answer)
	fmt.Fprintf(&b, "next: %s\n\n", told.Next)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"action", r.ActionID}, {"state", string(r.State)}, {"trigger", r.TriggerKey}, {"business key", r.BusinessKey}, {"effect", r.Effect},
		{"arguments", string(arguments)}, {"digest", r.Digest},
		{"approval", r.ApprovalID + " under policy " + r.PolicyVersion}, {"approvals before", strings.Join(r.Superseded, ", ")},
		{"attempts", fmt.Sprint(r.Attempt)}, {"key", keyLine(r)},
		{"resource", r.Resource}, {"request", r.RequestID}, {"last answer", answerLine(r)},
		{"not before", stamp(r.NotBefore)}, {"error class", r.ErrorClass}, {"detail", r.Detail},
		{"lease", leaseLine(r)},
	} {
		if line[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
		}
	}
	for i, o := range steps {
		line := fmt.Sprintf("%s  %s", o.ActionID, o.State)
		if o.Resource != "" {
			line += "  " + o.Resource
		}
		fmt.Fprintf(t, "%s\t%s\n", heading(i, "steps"), line)
	}
	for i, v := range r.Rulings {
		fmt.Fprintf(t, "%s\t%s  %s by %s: %s (it was there because: %s)\n", heading(i, "decided"), stamp(v.At), v.As, v.By, v.Reason, v.Found)
	}
	for i, e := range r.History {
		attempt := ""
		if e.Attempt > 0 {
			attempt = fmt.Sprintf(", attempt %d", e.Attempt)
		}
		fmt.Fprintf(t, "%s\t%s  %s%s\n", heading(i, "history"), stamp(e.At), e.State, attempt)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = io.WriteString(w, trimLines(b.String()))
	return err
}

// heading stands before the first line of a list.
func heading(i int, s string) string {
	if i == 0 {
		return s
	}
	return ""
}

// trimLines takes the blanks away that a table leaves at the end of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func keyLine(r receipt.Receipt) string {
	if r.Key.Since.IsZero() {
		return ""
	}
	line := fmt.Sprintf("%s, first sent %s", r.KeyText(), stamp(r.Key.Since))
	if r.Key.Poisoned {
		line += "; the target replays a failure under it"
	}
	return line
}

func answerLine(r receipt.Receipt) string {
	if r.Class == "" {
		return ""
	}
	parts := []string{string(r.Class)}
	if r.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", r.Status))
	}
	return strings.Join(append(parts, strings.Fields(r.Code)...), ", ")
}

func leaseLine(r receipt.Receipt) string {
	if r.Owner == "" {
		return fmt.Sprintf("none, token %d", r.Fence)
	}
	return fmt.Sprintf("%s until %s, token %d", r.Owner, stamp(r.LeaseUntil), r.Fence)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
