package protocol

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// Form is the body of POST /v1/refunds for an action.
func Form(a Action) url.Values {
	return url.Values{
		"charge":              {a.Arguments.Charge},
		"amount":              {strconv.FormatInt(a.Arguments.Amount, 10)},
		"metadata[action_id]": {a.ID},
	}
}

// FromAnswer reads the answer to POST /v1/refunds and closes it. What is neither a
// refund nor a refusal for good is an error.
func FromAnswer(a Action, answer *http.Response) (Report, error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return Report{}, fmt.Errorf("answer with status %d: %w", answer.StatusCode, err)
	}
	var refund struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	switch err := json.Unmarshal(body, &refund); {
	case err != nil:
		return Report{}, fmt.Errorf("answer with status %d: %w", answer.StatusCode, err)
	case answer.StatusCode == http.StatusOK && refund.Object == "refund":
		return Done(a, refund.ID), nil
	case ForGood(answer.StatusCode):
		return Rejected(a), nil
	}
	return Report{}, fmt.Errorf("answer with status %d", answer.StatusCode)
}

// ForGood reports whether Stripe refuses with this status for good.
func ForGood(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden,
		http.StatusNotFound, http.StatusUnprocessableEntity:
		return true
	}
	return false
}
