package wire

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryStatus answers in the profile's own error shape, in place of the target or
// of its answer.
func carryStatus(t *trial, _ context.Context, x *tap.Exchange, f harness.Fault) bool {
	raw := t.target.Namer.Error(f.N, f.Code)
	x.Answer = &tap.Answer{Status: raw.Status, Header: raw.Header, Body: raw.Body}
	if d := f.RetryAfter.In(t.s.Limits); d > 0 {
		// RFC 9110 section 10.2.3: whole seconds.
		x.Answer.Header.Set("Retry-After", strconv.Itoa(int((d+time.Second-1)/time.Second)))
	}
	t.session.Fired(f, x.Event)
	return true
}

// gatewayPage is what a gateway shows instead of the answer that it lost.
const gatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n"

// carryHTML answers with a gateway's page in place of the target's answer.
func carryHTML(t *trial, _ context.Context, x *tap.Exchange, f harness.Fault) bool {
	x.Answer = &tap.Answer{Status: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(gatewayPage)}
	t.session.Fired(f, x.Event)
	return true
}

// carryDuplicate lets the target get the request a second time.
func carryDuplicate(_ *trial, _ context.Context, x *tap.Exchange, f harness.Fault) bool {
	x.Twice = &f
	return true
}
