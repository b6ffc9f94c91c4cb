package fakes

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/internal/memo"
	"github.com/retrydrill/drill/internal/reuse"
)

// refunds is the domain of partial refunds in Stripe's shape. Every charge exists
// and holds the same total; the sum of its refunds may not exceed it. The payment
// intent pi_X is that of the charge ch_X.
//
// Source: https://docs.stripe.com/api/refunds/object
type refunds struct {
	f     *Fake
	total int64
	spent reuse.Table[string, int64]
	// made is the room for what is made.
	made reuse.Slab[refunded]
}

type refund struct {
	amount         int64
	charge, reason string
	metadata       map[string]string
	// transaction is what stands behind txn_.
	transaction      string
	created          int64
	instructionEmail string
	// asked is what the request said of it; text is what text returns, once it was asked
	// for.
	asked *asked
	text  []byte
}

// expandable lists what expand[] may name; the charge alone is then an object.
var expandable = []string{"balance_transaction", "charge", "payment_intent", "source_transfer_reversal", "transfer_reversal"}

func (d *refunds) reset() error {
	d.spent.Reset()
	d.made.Reset()
	return nil
}

// asked is what a request says of refunds.
type asked struct {
	// whole: no amount is given, and all that is left is meant.
	amount        int64
	whole         bool
	reason, email string
	metadata      map[string]string
	created       map[string]string
	expand        []string
	span          span
	// end is how a list's answer ends.
	end string
}

func (d *refunds) check(c *call) *refusal {
	p := c.params
	amount, err := strconv.ParseInt(p.scalars["amount"], 10, 64)
	c.own = &asked{amount: amount, whole: err != nil, reason: p.scalars["reason"], email: p.scalars["instructions_email"],
		metadata: p.maps["metadata"], created: p.maps["created"], expand: p.lists["expand"], span: spanOf(p),
		end: string(append(appendText([]byte(`,"url":`), c.op.Path), '}'))}
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
	charge := c.group
	left := d.total - d.spent.Get(charge)
	a := c.own.(*asked)
	amount := a.amount
	if a.whole {
		amount = left
	}
	switch {
	case left == 0:
		return nil, f.refuse("spent", "", "Charge %s has already been refunded.", charge)
	case amount > left:
		return nil, f.refuse("spent", "amount", "Refund amount (%d) is greater than unrefunded amount on charge (%d)", amount, left)
	}
	*d.spent.At(charge) += amount
	x := place(f, &d.made)
	*x = refunded{refund: refund{
		amount: amount, charge: charge, reason: a.reason, metadata: a.metadata,
		transaction: strings.TrimPrefix(id, f.p.Fake.IDPrefix), created: f.o.Now().Unix(),
		instructionEmail: a.email, asked: a,
	}}
	x.data = &x.refund
	return &x.object, nil
}

// refunded is an object and its refund in one place.
type refunded struct {
	object
	refund
}

func (d *refunds) unmake(o *object) {
	r := o.data.(*refund)
	*d.spent.At(r.charge) -= r.amount
}

func (d *refunds) show(o *object, c *call) []byte {
	if expand := c.own.(*asked).expand; len(expand) > 0 || len(o.leaves) > 0 {
		return d.append(nil, o, expand)
	}
	return d.text(o)
}

// written is how an object was shown before: the trials of a search make the same ones
// again and again.
type written struct {
	asked           *asked
	id, charge      string
	amount, created int64
	text            []byte
}

// text is the object as it is while nothing is expanded and nothing was undone: each
// answer of it says the same.
func (d *refunds) text(o *object) []byte {
	r := o.data.(*refund)
	if r.text != nil {
		return r.text
	}
	if d.f.known == nil {
		r.text = d.append(make([]byte, 0, someText), o, nil)
		return r.text
	}
	place := d.f.known.texts.At(memo.Number(memo.More(uint64(r.amount), o.id), uint64(r.created)))
	for i := range place {
		if e := place[i].Load(); e != nil && e.asked == r.asked && e.id == o.id && e.charge == r.charge && e.amount == r.amount && e.created == r.created {
			r.text = e.text
			return r.text
		}
	}
	r.text = d.append(make([]byte, 0, someText), o, nil)
	place.Keep(&written{r.asked, o.id, r.charge, r.amount, r.created, r.text})
	return r.text
}

// someText is about how long an object is, in bytes.
const someText = 448

// page lists refunds, newest first (https://docs.stripe.com/api/pagination).
func (d *refunds) page(f *Fake, c *call, b []byte) ([]byte, *refusal) {
	a := c.own.(*asked)
	found, more, bad := f.walk(c, c.group, &a.span, func(o *object) bool {
		return len(a.created) == 0 || within(o.data.(*refund).created, a.created)
	})
	if bad != nil {
		return nil, bad
	}
	b = append(b, `{"object":"list","data":[`...)
	for i, o := range found {
		if i > 0 {
			b = append(b, ',')
		}
		if len(a.expand) > 0 || len(o.leaves) > 0 {
			b = d.append(b, o, a.expand)
		} else {
			b = append(b, d.text(o)...)
		}
	}
	b = strconv.AppendBool(append(b, `],"has_more":`...), more)
	return append(b, a.end...), nil
}

// mustJSON marshals what is made of strings and numbers alone.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("fakes: an answer can not be marshalled: " + err.Error())
	}
	return b
}
