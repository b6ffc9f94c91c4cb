package fakes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// refundJSON is the refund object as encoding/json writes it, its fields in the order
// of Stripe's page.
type refundJSON struct {
	ID                     string            `json:"id"`
	Object                 string            `json:"object"`
	Amount                 int64             `json:"amount"`
	BalanceTransaction     string            `json:"balance_transaction"`
	Charge                 any               `json:"charge"`
	Created                int64             `json:"created"`
	Currency               string            `json:"currency"`
	InstructionsEmail      string            `json:"instructions_email,omitempty"`
	Metadata               map[string]string `json:"metadata"`
	PaymentIntent          string            `json:"payment_intent"`
	Reason                 *string           `json:"reason"`
	ReceiptNumber          *string           `json:"receipt_number"`
	SourceTransferReversal *string           `json:"source_transfer_reversal"`
	Status                 string            `json:"status"`
	TransferReversal       *string           `json:"transfer_reversal"`
}

type chargeJSON struct {
	ID             string `json:"id"`
	Object         string `json:"object"`
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
	Currency       string `json:"currency"`
	PaymentIntent  string `json:"payment_intent"`
	Refunded       bool   `json:"refunded"`
	Status         string `json:"status"`
}

// TestRefundsAreWrittenAsEncodingJSONWould holds the two against each other, byte by
// byte, whatever the texts are.
func TestRefundsAreWrittenAsEncodingJSONWould(t *testing.T) {
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "ch_1", `"`, `\`, "<&>", "ä", "\u2028", "\x00\n\x7f", "~"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		r := &refund{amount: rapid.Int64().Draw(t, "amount"), charge: texts.Draw(t, "charge"), reason: texts.Draw(t, "reason"),
			metadata: rapid.MapOfN(texts, texts, 0, 3).Draw(t, "metadata"), transaction: texts.Draw(t, "transaction"),
			created: rapid.Int64().Draw(t, "created"), instructionEmail: texts.Draw(t, "email")}
		o := &object{id: texts.Draw(t, "id"), data: r, leaves: map[string]string{"status": rapid.SampledFrom([]string{"", "canceled"}).Draw(t, "leaves")}}
		d := &refunds{total: 100}
		spent := d.spent.At(r.charge)
		*spent = rapid.Int64Range(0, 100).Draw(t, "spent")
		expand := rapid.SampledFrom([][]string{nil, {"payment_intent"}, {"charge"}, {"data.charge"}}).Draw(t, "expand")

		want := refundJSON{ID: o.id, Object: "refund", Amount: r.amount, BalanceTransaction: "txn_" + r.transaction, Charge: r.charge,
			Created: r.created, Currency: "usd", InstructionsEmail: r.instructionEmail, Metadata: r.metadata,
			PaymentIntent: "pi_" + strings.TrimPrefix(r.charge, "ch_"), Status: "succeeded"}
		if o.leaves["status"] != "" {
			want.Status = o.leaves["status"]
		}
		if r.reason != "" {
			want.Reason = &r.reason
		}
		if len(expand) > 0 && expand[0] != "payment_intent" {
			want.Charge = chargeJSON{ID: r.charge, Object: "charge", Amount: 100, AmountRefunded: *spent, Currency: "usd",
				PaymentIntent: want.PaymentIntent, Refunded: *spent == 100, Status: "succeeded"}
		}
		b, err := json.Marshal(want)
		require.NoError(t, err)
		require.Equal(t, string(b), string(d.append(nil, o, expand)))
	})
}
