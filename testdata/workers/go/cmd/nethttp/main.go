// Command nethttp makes refunds with net/http alone: one keyed call on a connection
// that a look-up has warmed, and no retry of its own. The transport has one: it
// sends a keyed POST again when a used connection dies before a byte of the answer
// (net/http, Transport). The caller sees one call and one answer.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/retrydrill/drill/testdata/workers/go/protocol"
)

func main() { os.Exit(protocol.Run(refund)) }

func refund(ctx context.Context, env protocol.Env, a protocol.Action) (protocol.Report, error) {
	client := &http.Client{Timeout: env.ClientDeadline}
	if err := warm(ctx, client, env, a); err != nil {
		return protocol.Report{}, err
	}
	req, err := request(ctx, env, http.MethodPost, "/v1/refunds", protocol.Form(a).Encode())
	if err != nil {
		return protocol.Report{}, err
	}
	req.Header.Set("Idempotency-Key", a.ID)
	answer, err := client.Do(req)
	if err != nil {
		return protocol.Report{}, err
	}
	return protocol.FromAnswer(a, answer)
}

// warm looks the charge up and reads the answer to its end, which leaves its
// connection to the next call.
func warm(ctx context.Context, client *http.Client, env protocol.Env, a protocol.Action) error {
	req, err := request(ctx, env, http.MethodGet, "/v1/refunds?charge="+url.QueryEscape(a.Arguments.Charge), "")
	if err != nil {
		return err
	}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("look-up: status %d", answer.StatusCode)
	}
	return nil
}

func request(ctx context.Context, env protocol.Env, method, path, body string) (*http.Request, error) {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, env.TargetURL+path, r)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+env.Token)
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, nil
}
