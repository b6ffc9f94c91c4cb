package policy

import "github.com/retrydrill/drill/harness"

// Mishap is one way in which an attempt ends without a whole answer.
type Mishap struct {
	ID    string
	Doc   string
	Class harness.Class
	// Source is where the rule is written.
	Source string
}

// Mishaps is the table of what happened where there was no answer. Never dispatched
// is only what proves that no request was worked on; silence proves nothing.
var Mishaps = []Mishap{
	{"refused", "the connection was refused", harness.NeverDispatched, "https://www.rfc-editor.org/rfc/rfc9293#section-3.5.3"},
	{"connect_timeout", "no connection within the time to connect", harness.NeverDispatched, "https://www.rfc-editor.org/rfc/rfc9293#section-3.8.3"},
	{"dns", "the name had no address", harness.NeverDispatched, "https://www.rfc-editor.org/rfc/rfc9110#section-4.3.2"},
	{"tls", "the TLS handshake failed; a policy that sends early data (RFC 8446, 8) makes this stricter", harness.NeverDispatched, "https://www.rfc-editor.org/rfc/rfc8446#section-6.2"},
	{"refused_stream", "an HTTP/2 stream was reset with REFUSED_STREAM, which says that nothing was processed", harness.NeverDispatched, "https://www.rfc-editor.org/rfc/rfc9113#section-8.7"},
	{"reset_before_answer", "the connection was closed or reset before a byte of the answer", harness.Unknown, "https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2"},
	{"reset_in_answer", "the connection was closed or reset within the head of the answer", harness.Unknown, "https://www.rfc-editor.org/rfc/rfc9112#section-8"},
	{"cut_body", "the body of the answer is shorter than announced", harness.Unknown, "https://www.rfc-editor.org/rfc/rfc9112#section-8"},
	{"timeout", "the deadline passed while the answer was awaited", harness.Unknown, "https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2"},
}

// FindMishap returns the mishap of that ID.
func FindMishap(id string) (Mishap, bool) {
	for _, m := range Mishaps {
		if m.ID == id {
			return m, true
		}
	}
	return Mishap{}, false
}
