// Command stripe-refund makes refunds with Stripe's own SDK as it comes: its
// retries are on, and the key of each call is the one that the SDK makes up.
package main

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/stripe/stripe-go/v84"

	"github.com/retrydrill/drill/testdata/workers/go/protocol"
)

func main() { os.Exit(protocol.Run(refund)) }

func refund(ctx context.Context, env protocol.Env, a protocol.Action) (protocol.Report, error) {
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:               stripe.String(env.TargetURL),
		HTTPClient:        &http.Client{Timeout: env.ClientDeadline},
		MaxNetworkRetries: stripe.Int64(3),
	})
	params := &stripe.RefundCreateParams{
		Charge: stripe.String(a.Arguments.Charge),
		Amount: stripe.Int64(a.Arguments.Amount),
	}
	params.AddMetadata("action_id", a.ID)
	made, err := stripe.NewClient(env.Token, stripe.WithBackends(backends)).V1Refunds.Create(ctx, params)
	var refused *stripe.Error
	if errors.As(err, &refused) && protocol.ForGood(refused.HTTPStatusCode) {
		return protocol.Rejected(a), nil
	}
	if err != nil {
		return protocol.Report{}, err
	}
	return protocol.Done(a, made.ID), nil
}
