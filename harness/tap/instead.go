package tap

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/retrydrill/drill/harness"
)

// gatewayPage is what a gateway shows instead of the answer that it lost.
const gatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<h1>502 Bad Gateway</h1>\r\n</body>\r\n</html>\r\n"

// Instead sets what leaves in place of the target's answer, or before the target
// was asked: a status in the profile's own error shape (status), or a gateway's
// page (html).
func (h *Handler) Instead(x *Exchange, f *harness.Fault) {
	if f.Name == "html" {
		x.Answer = &Answer{Status: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(gatewayPage)}
	} else {
		raw := h.Target.Namer.Error(f.N, f.Code)
		x.Answer = &Answer{Status: raw.Status, Header: raw.Header, Body: raw.Body}
		if d := f.RetryAfter.In(h.Session.limits); d > 0 {
			// RFC 9110 section 10.2.3: whole seconds.
			x.Answer.Header.Set("Retry-After", strconv.Itoa(int((d+time.Second-1)/time.Second)))
		}
	}
	h.Session.Fired(f, x.Event)
}

// Cut returns the bytes of the answer, in HTTP, that a truncation lets through: n of the
// head, or the whole head and n of the body.
func (a *Answer) Cut(f *harness.Fault) []byte {
	head, body := a.wire()
	return cut(head, body, f)
}

func cut(head, body []byte, f *harness.Fault) []byte {
	if f.Head {
		return head[:min(f.N, len(head))]
	}
	return append(head, body[:min(f.N, len(body))]...)
}

// Cut returns the bytes of the exchange's answer that a truncation lets through, in
// the target's own protocol.
func (h *Handler) Cut(x *Exchange, f *harness.Fault) []byte {
	p := h.Target.Protocol
	if p == nil {
		return x.Answer.Cut(f)
	}
	head, body := p.Form(x.R, x.Answer)
	return cut(head, body, f)
}

// wire is the answer as bytes: the head, and the body.
func (a *Answer) wire() (head, body []byte) {
	resp := http.Response{StatusCode: a.Status, ProtoMajor: 1, ProtoMinor: 1, Header: a.Header,
		ContentLength: int64(len(a.Body)), Body: io.NopCloser(bytes.NewReader(a.Body))}
	var b bytes.Buffer
	// Writing to a buffer does not fail.
	_ = resp.Write(&b)
	all := b.Bytes()
	return all[: len(all)-len(a.Body) : len(all)-len(a.Body)], a.Body
}
