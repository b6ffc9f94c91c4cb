// Package dns lets a fake speak DNS over TCP: each UPDATE (RFC 2136) and each QUERY
// (RFC 1035) is a request in the shape of package dnsform.
//
// It does not speak UDP, answers no zone transfer and knows no TSIG key: a signed
// message is refused with NOTAUTH (RFC 8945 section 5.2.1).
package dns

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/miekg/dns"

	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets/dnsform"
	"github.com/retrydrill/drill/targets/viadns"
)

const (
	// headLen is the length of a message's header (RFC 1035 section 4.1.1), lengthLen
	// that of what stands before it on TCP (section 4.2.2).
	headLen   = 12
	lengthLen = 2
	// idle is how long a client may be silent (RFC 7766 section 6.2.3: seconds).
	idle = 30 * time.Second
	// pathMalformed is where a message goes that makes no sense.
	pathMalformed = "/malformed"
)

// Protocol is DNS as a target speaks it.
func Protocol() *tap.Protocol {
	return &tap.Protocol{Scheme: "dns", Serve: serve, Probe: probe(), Transport: &viadns.Transport{}, Form: form}
}

// probe asks for the server's status, which no server tells (RFC 1035 section 4.1.1
// reserves the opcode): the answer is NOTIMP.
func probe() string {
	m := &dns.Msg{MsgHdr: dns.MsgHdr{Id: 1, Opcode: dns.OpcodeStatus}}
	// A header packs.
	b, _ := m.Pack()
	return string(framed(b))
}

// form is an answer as bytes: length and header, and the sections.
func form(r *http.Request, a *tap.Answer) (head, body []byte) {
	m, _ := r.Context().Value(messageKey{}).(*dns.Msg)
	b := answer(m, a)
	return b[:lengthLen+headLen], b[lengthLen+headLen:]
}

// serve speaks with one client, one message after the other.
func serve(c net.Conn, h http.Handler) {
	defer c.Close()
	for {
		_ = c.SetReadDeadline(time.Now().Add(idle))
		raw, whole := read(c)
		if raw == nil {
			return
		}
		m := new(dns.Msg)
		err := m.Unpack(raw)
		if len(raw) < headLen || whole && m.Response {
			// Not even an ID to answer under, or no request at all.
			return
		}
		if out := refuse(m, whole); out != nil {
			if _, err := c.Write(out); err != nil {
				return
			}
			continue
		}
		_ = c.SetReadDeadline(time.Time{})
		r := request(c, m, raw, whole, err)
		a, ok := tap.Ask(c, h, r)
		if !ok {
			return
		}
		if _, err := c.Write(answer(m, a)); err != nil {
			return
		}
	}
}

// read returns one message, or as much as came of it.
func read(c net.Conn) (raw []byte, whole bool) {
	var length [lengthLen]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return nil, false
	}
	raw = make([]byte, binary.BigEndian.Uint16(length[:]))
	n, err := io.ReadFull(c, raw)
	return raw[:n], err == nil
}

// refuse is the answer to what is none of the target's business: another opcode, and
// a signature that no key can prove.
func refuse(m *dns.Msg, whole bool) []byte {
	rcode := dns.RcodeNotImplemented
	switch {
	case !whole:
		return nil
	case m.Opcode != dns.OpcodeQuery && m.Opcode != dns.OpcodeUpdate:
	case m.IsTsig() != nil:
		rcode = dns.RcodeNotAuth
	default:
		return nil
	}
	out := new(dns.Msg)
	out.SetRcode(m, rcode)
	b, err := out.Pack()
	if err != nil {
		return nil
	}
	return framed(b)
}

type messageKey struct{}

// request puts a message into the shape in which it is asked. What did not come
// whole has a body that ends too soon.
func request(c net.Conn, m *dns.Msg, raw []byte, whole bool, bad error) *http.Request {
	x := &exchange{raw: raw, whole: whole}
	r := &http.Request{Method: dnsform.MethodQuery, URL: &url.URL{Path: dnsform.PathQuery}, Header: http.Header{}, Body: x,
		Host: "dns", RemoteAddr: c.RemoteAddr().String(), Proto: "DNS"}
	r = r.WithContext(context.WithValue(context.Background(), messageKey{}, m))
	var err error
	if m.Opcode == dns.OpcodeUpdate {
		r.Method, r.URL.Path = dnsform.MethodUpdate, dnsform.PathAdd
		r.Header.Set("Content-Type", "application/json")
	}
	switch {
	case !whole:
		return r
	case bad != nil:
		err = bad
	case m.Opcode == dns.OpcodeUpdate:
		var u dnsform.Update
		if u, err = viadns.ReadUpdate(m); err == nil {
			r.URL.Path = u.Path()
			x.json, err = json.Marshal(u)
		}
	default:
		r.URL.RawQuery, err = viadns.ReadQuery(m)
	}
	if err != nil {
		r.URL.Path = pathMalformed
	}
	r.RequestURI = r.URL.RequestURI()
	return r
}

// exchange is a request's body.
type exchange struct {
	raw   []byte
	whole bool
	json  []byte
	from  *bytes.Reader
}

// Read implements io.Reader.
func (x *exchange) Read(p []byte) (int, error) {
	if !x.whole {
		return 0, io.ErrUnexpectedEOF
	}
	if x.from == nil {
		x.from = bytes.NewReader(x.json)
	}
	return x.from.Read(p)
}

// Close implements io.Closer.
func (x *exchange) Close() error { return nil }

// Raw implements [tap.Torn]: what follows the header.
func (x *exchange) Raw() io.Reader { return bytes.NewReader(x.raw[min(headLen, len(x.raw)):]) }

// answer is an answer with its length before it.
func answer(to *dns.Msg, a *tap.Answer) []byte {
	m := viadns.WriteAnswer(to, dnsform.ReadAnswer(a.Status, a.Body))
	b, err := m.Pack()
	if err != nil || len(b) > dns.MaxMsgSize {
		// A header alone packs.
		b, _ = (&dns.Msg{MsgHdr: dns.MsgHdr{Id: to.Id, Response: true, Opcode: to.Opcode, Rcode: dns.RcodeServerFailure}}).Pack()
	}
	return framed(b)
}

func framed(b []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
}
