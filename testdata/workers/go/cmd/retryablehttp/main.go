// Command retryablehttp makes refunds with hashicorp/go-retryablehttp. What it
// retries, and how often, is its default; only the waits are short. With -key each
// call carries the action ID as its key, without it there is none.
package main

import (
	"context"
	"flag"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/retrydrill/drill/testdata/workers/go/protocol"
)

func main() {
	key := flag.Bool("key", false, "send the action ID as Idempotency-Key")
	flag.Parse()
	os.Exit(protocol.Run(func(ctx context.Context, env protocol.Env, a protocol.Action) (protocol.Report, error) {
		return refund(ctx, env, a, *key)
	}))
}

func refund(ctx context.Context, env protocol.Env, a protocol.Action, key bool) (protocol.Report, error) {
	client := retryablehttp.NewClient()
	client.HTTPClient.Timeout = env.ClientDeadline
	client.RetryWaitMin, client.RetryWaitMax = 20*time.Millisecond, 100*time.Millisecond
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, env.TargetURL+"/v1/refunds", []byte(protocol.Form(a).Encode()))
	if err != nil {
		return protocol.Report{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+env.Token)
	if key {
		req.Header.Set("Idempotency-Key", a.ID)
	}
	answer, err := client.Do(req)
	if err != nil {
		return protocol.Report{}, err
	}
	return protocol.FromAnswer(a, answer)
}
