package fakes

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// append writes the refund object, its fields in the order of Stripe's page. It writes
// by hand what encoding/json would write, since every trial has some: a test holds the
// two against each other.
func (d *refunds) append(b []byte, o *object, expand []string) []byte {
	r := o.data.(*refund)
	number := strings.TrimPrefix(r.charge, "ch_")
	b = appendText(append(b, `{"id":`...), o.id)
	b = strconv.AppendInt(append(b, `,"object":"refund","amount":`...), r.amount, 10)
	b = appendNamed(append(b, `,"balance_transaction":`...), "txn_", r.transaction)
	b = append(b, `,"charge":`...)
	if slices.Contains(expand, "charge") || slices.Contains(expand, "data.charge") {
		b = d.appendCharge(b, r.charge, number)
	} else {
		b = appendText(b, r.charge)
	}
	b = strconv.AppendInt(append(b, `,"created":`...), r.created, 10)
	b = append(b, `,"currency":"usd"`...)
	if r.instructionEmail != "" {
		b = appendText(append(b, `,"instructions_email":`...), r.instructionEmail)
	}
	b = appendTexts(append(b, `,"metadata":`...), r.metadata)
	b = appendNamed(append(b, `,"payment_intent":`...), "pi_", number)
	b = append(b, `,"reason":`...)
	if r.reason == "" {
		b = append(b, "null"...)
	} else {
		b = appendText(b, r.reason)
	}
	b = appendText(append(b, `,"receipt_number":null,"source_transfer_reversal":null,"status":`...), cmp.Or(o.leaves["status"], "succeeded"))
	return append(b, `,"transfer_reversal":null}`...)
}

func (d *refunds) appendCharge(b []byte, charge, number string) []byte {
	spent := d.spent.Get(charge)
	b = appendText(append(b, `{"id":`...), charge)
	b = strconv.AppendInt(append(b, `,"object":"charge","amount":`...), d.total, 10)
	b = strconv.AppendInt(append(b, `,"amount_refunded":`...), spent, 10)
	b = appendNamed(append(b, `,"currency":"usd","payment_intent":`...), "pi_", number)
	b = strconv.AppendBool(append(b, `,"refunded":`...), spent == d.total)
	return append(b, `,"status":"succeeded"}`...)
}

// appendTexts writes a map; the names are sorted, as in encoding/json.
func appendTexts(b []byte, m map[string]string) []byte {
	b = append(b, '{')
	if len(m) == 1 {
		for name, v := range m {
			b = appendText(append(appendText(b, name), ':'), v)
		}
		return append(b, '}')
	}
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(appendText(b, name), ':'), m[name])
	}
	return append(b, '}')
}

// appendText writes a string as encoding/json does. Most texts are letters and digits.
func appendText(b []byte, s string) []byte {
	if !plain(s) {
		return append(b, mustJSON(s)...)
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendNamed writes a string that begins with a plain prefix.
func appendNamed(b []byte, prefix, s string) []byte {
	if !plain(s) {
		return append(b, mustJSON(prefix+s)...)
	}
	return append(append(append(append(b, '"'), prefix...), s...), '"')
}

// plain: nothing in the text is escaped in JSON, or where HTML might read it.
func plain(s string) bool {
	for i := range len(s) {
		if !plainBytes[s[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (out [256]bool) {
	for c := ' '; c <= '~'; c++ {
		out[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return out
}()
