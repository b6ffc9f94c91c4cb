package protocol

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFromAnswer(t *testing.T) {
	a := Action{ID: "a"}
	for _, c := range []struct {
		status int
		body   string
		want   Report
		fails  bool
	}{
		{200, `{"id": "re_1", "object": "refund"}`, Done(a, "re_1"), false},
		{200, `{"object": "list"}`, Report{}, true},
		{200, `{"id": "re_1"`, Report{}, true},
		{402, `{"error": {"type": "card_error"}}`, Rejected(a), false},
		{409, `{"error": {"code": "idempotency_key_in_use"}}`, Report{}, true},
		{429, `{"error": {}}`, Report{}, true},
		{500, `{"error": {}}`, Report{}, true},
		{404, `<html>`, Report{}, true},
	} {
		got, err := FromAnswer(a, &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader(c.body))})
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("status %d, body %s: %+v, error %v; expected %+v, an error: %t", c.status, c.body, got, err, c.want, c.fails)
		}
	}
}

func TestFromAnswerKeepsTheErrorOfACutBody(t *testing.T) {
	cut := errors.New("cut")
	_, err := FromAnswer(Action{}, &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(cut))})
	if !errors.Is(err, cut) {
		t.Errorf("error is %v: expected %v in it", err, cut)
	}
}

func TestFormStampsTheAction(t *testing.T) {
	a := Action{ID: "a b"}
	a.Arguments.Charge, a.Arguments.Amount = "ch_1", 1099
	if got, want := Form(a).Encode(), "amount=1099&charge=ch_1&metadata%5Baction_id%5D=a+b"; got != want {
		t.Errorf("form is %s: expected %s", got, want)
	}
}
