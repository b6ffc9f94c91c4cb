package fakes

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// refunds is the domain of partial refunds in Stripe's shape. Every charge exists
// and holds the same total; the sum of its refunds may not exceed it. The payment
// intent pi_X is that of the charge ch_X.
//
// Source: https://docs.stripe.com/api/refunds/object
type refunds struct {
	total int64
	spent map[string]int64
}

type refund struct {
	amount           int64
	charge, reason   string
	metadata         map[string]string
	transaction      string
	created          int64
	instructionEmail string
}

// expandable lists what expand[] may name; the charge alone is then an object.
var expandable = []string{"balance_transaction", "charge", "payment_intent", "source_transfer_reversal", "transfer_reversal"}

func (d *refunds) reset() error {
	clear(d.spent)
	return nil
}

func (d *refunds) check(c *call) *refusal {
	for _, e := range c.params.lists["expand"] {
		if c.op.Items != "" {
			e = strings.TrimPrefix(e, "data.")
		}
		if !slices.Contains(expandable, e) {
			return &refusal{status: 400, param: "expand", message: "This property cannot be expanded (" + e + ")."}
		}
	}
	for key := range c.params.maps["created"] {
		if !slices.Contains([]string{"gt", "gte", "lt", "lte"}, key) {
			return &refusal{status: 400, code: "parameter_unknown", param: "created", message: "Received unknown parameter: created[" + key + "]"}
		}
	}
	return nil
}

// chargeOf returns the charge that a request means, or nothing.
func chargeOf(p *params) string {
	if pi, ok := p.scalars["payment_intent"]; ok {
		return "ch_" + strings.TrimPrefix(pi, "pi_")
	}
	return p.scalars["charge"]
}

func (d *refunds) group(c *call) string { return chargeOf(c.params) }

func (d *refunds) make(f *Fake, id string, c *call) (*object, *refusal) {
	charge := chargeOf(c.params)
	left := d.total - d.spent[charge]
	amount := c.params.integer("amount", left)
	switch {
	case left == 0:
		return nil, f.refuse("spent", "", "Charge %s has already been refunded.", charge)
	case amount > left:
		return nil, f.refuse("spent", "amount", "Refund amount (%d) is greater than unrefunded amount on charge (%d)", amount, left)
	}
	d.spent[charge] += amount
	return &object{data: &refund{
		amount: amount, charge: charge, reason: c.params.scalars["reason"], metadata: c.params.maps["metadata"],
		transaction: "txn_" + strings.TrimPrefix(id, f.p.Fake.IDPrefix), created: f.o.Now().Unix(),
		instructionEmail: c.params.scalars["instructions_email"],
	}}, nil
}

func (d *refunds) unmake(o *object) {
	r := o.data.(*refund)
	d.spent[r.charge] -= r.amount
}

// refundJSON is the refund object, its fields in the order of Stripe's page.
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

func (d *refunds) json(o *object, expand []string) refundJSON {
	r := o.data.(*refund)
	intent := "pi_" + strings.TrimPrefix(r.charge, "ch_")
	out := refundJSON{
		ID: o.id, Object: "refund", Amount: r.amount, BalanceTransaction: r.transaction, Charge: r.charge,
		Created: r.created, Currency: "usd", InstructionsEmail: r.instructionEmail, Metadata: r.metadata,
		PaymentIntent: intent, Status: cmp.Or(o.leaves["status"], "succeeded"),
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if r.reason != "" {
		out.Reason = &r.reason
	}
	if slices.Contains(expand, "charge") || slices.Contains(expand, "data.charge") {
		out.Charge = chargeJSON{
			ID: r.charge, Object: "charge", Amount: d.total, AmountRefunded: d.spent[r.charge], Currency: "usd",
			PaymentIntent: intent, Refunded: d.spent[r.charge] == d.total, Status: "succeeded",
		}
	}
	return out
}

func (d *refunds) show(o *object, c *call) []byte {
	return mustJSON(d.json(o, c.params.lists["expand"]))
}

// page lists refunds, newest first (https://docs.stripe.com/api/pagination).
func (d *refunds) page(f *Fake, c *call) ([]byte, *refusal) {
	found, more, bad := f.walk(c, chargeOf(c.params), func(o *object) bool {
		return within(time.Unix(o.data.(*refund).created, 0), c.params.maps["created"])
	})
	if bad != nil {
		return nil, bad
	}
	list := struct {
		Object  string       `json:"object"`
		Data    []refundJSON `json:"data"`
		HasMore bool         `json:"has_more"`
		URL     string       `json:"url"`
	}{"list", make([]refundJSON, 0, len(found)), more, c.op.Path}
	for _, o := range found {
		list.Data = append(list.Data, d.json(o, c.params.lists["expand"]))
	}
	return mustJSON(list), nil
}

// mustJSON marshals what is made of strings and numbers alone.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("fakes: an answer can not be marshalled: " + err.Error())
	}
	return b
}
