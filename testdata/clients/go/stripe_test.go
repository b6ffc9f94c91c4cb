package clients

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stripe/stripe-go/v84"
)

func stripeClient(f fake, key string) *stripe.Client {
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{URL: stripe.String(f.url)})))
}

func refundParams(amount int64, key string) *stripe.RefundCreateParams {
	p := &stripe.RefundCreateParams{Charge: stripe.String("ch_3Clients1001"), Amount: stripe.Int64(amount)}
	p.AddMetadata("action_id", key)
	if key != "" {
		p.SetIdempotencyKey(key)
	}
	return p
}

// TestStripeGo: create, retrieve, list over pages, replay, and the classes of errors.
func TestStripeGo(t *testing.T) {
	ctx := t.Context()
	f := serve(t, "stripe-v1")
	c := stripeClient(f, token)
	var made []string
	for i, key := range []string{"act-1", "act-2", "act-3", "act-4", ""} {
		r, err := c.V1Refunds.Create(ctx, refundParams(int64(100+i), key))
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != stripe.RefundStatusSucceeded || r.Amount != int64(100+i) || r.Metadata["action_id"] != key {
			t.Fatalf("not what was asked for: %+v", r)
		}
		made = append(made, r.ID)
	}

	again, err := c.V1Refunds.Create(ctx, refundParams(100, "act-1"))
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != made[0] || again.LastResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s, replayed %q: expected %s, replayed", again.ID, again.LastResponse.Header.Get("Idempotent-Replayed"), made[0])
	}
	if again.LastResponse.RequestID == "" {
		t.Error("the answer names no request")
	}

	got, err := c.V1Refunds.Retrieve(ctx, made[2], nil)
	if err != nil || got.Amount != 102 || got.Charge.ID != "ch_3Clients1001" {
		t.Errorf("retrieved %+v: %v", got, err)
	}

	// Two a page, so that the SDK asks for three.
	list := &stripe.RefundListParams{Charge: stripe.String("ch_3Clients1001")}
	list.Limit = stripe.Int64(2)
	var listed []string
	for r, err := range c.V1Refunds.List(ctx, list) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, r.ID)
	}
	newestFirst := slices.Clone(made)
	slices.Reverse(newestFirst)
	if !slices.Equal(newestFirst, listed) {
		t.Errorf("listed %v, expected %v", listed, newestFirst)
	}

	stripeRefuses(ctx, t, f, c)
	if n := f.effects(); n != len(made) {
		t.Errorf("%d effects, expected %d", n, len(made))
	}
}

func stripeRefuses(ctx context.Context, t *testing.T, f fake, c *stripe.Client) {
	t.Helper()
	for _, x := range []struct {
		name   string
		call   func() error
		kind   stripe.ErrorType
		code   stripe.ErrorCode
		status int
	}{
		{"the key with other arguments", func() error {
			_, err := c.V1Refunds.Create(ctx, refundParams(999, "act-1"))
			return err
		}, stripe.ErrorTypeIdempotency, "", 400},
		{"no charge", func() error {
			_, err := c.V1Refunds.Create(ctx, &stripe.RefundCreateParams{Amount: stripe.Int64(1)})
			return err
		}, stripe.ErrorTypeInvalidRequest, stripe.ErrorCodeParameterMissing, 400},
		{"more than there is", func() error {
			_, err := c.V1Refunds.Create(ctx, refundParams(99_999_900, "act-9"))
			return err
		}, stripe.ErrorTypeInvalidRequest, "", 400},
		{"no such refund", func() error {
			_, err := c.V1Refunds.Retrieve(ctx, "re_nowhere", nil)
			return err
		}, stripe.ErrorTypeInvalidRequest, stripe.ErrorCodeResourceMissing, 404},
		{"another token", func() error {
			_, err := stripeClient(f, "sk_test_other").V1Refunds.Retrieve(ctx, "re_nowhere", nil)
			return err
		}, stripe.ErrorTypeInvalidRequest, "", 401},
	} {
		var e *stripe.Error
		err := x.call()
		if !errors.As(err, &e) || e.Type != x.kind || e.HTTPStatusCode != x.status || x.code != "" && e.Code != x.code {
			t.Errorf("%s: %v: expected %s %s, status %d", x.name, err, x.kind, x.code, x.status)
		}
	}
}
