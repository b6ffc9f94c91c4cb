package viadns

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/retrydrill/drill/targets/dnsform"
)

// Transport carries UPDATE and QUERY requests over DNS, one TCP connection each. It
// signs nothing: a request that brings an authorization is refused, not sent
// without one.
type Transport struct{}

// maxBody bounds the JSON of a request in bytes; a message has at most 65535.
const maxBody = 1 << 20

// RoundTrip implements [http.RoundTripper]. It sends a message once.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	m, id, err := messageOf(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(r.URL.Host))
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: raw})
	}
	got, err := exchange(&dns.Conn{Conn: raw}, m)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return nil, err
	}
	status, a := ReadAnswer(got)
	if m.Opcode == dns.OpcodeUpdate && a.RCode == "NOERROR" {
		a.ID = id
	}
	body := a.MarshalBody()
	return &http.Response{
		Status: a.RCode, StatusCode: status, Proto: "DNS", Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

func exchange(c *dns.Conn, m *dns.Msg) (*dns.Msg, error) {
	if err := c.WriteMsg(m); err != nil {
		return nil, fmt.Errorf("dns: send: %w", err)
	}
	got, err := c.ReadMsg()
	switch {
	case err != nil:
		return nil, fmt.Errorf("dns: answer: %w", err)
	case got.Id != m.Id || !got.Response || got.Opcode != m.Opcode:
		return nil, fmt.Errorf("dns: the answer is not to the question: ID %d, opcode %d", got.Id, got.Opcode)
	}
	return got, nil
}

// messageOf makes the message of a request, and the ID of what it changes.
func messageOf(r *http.Request) (m *dns.Msg, id string, err error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if r.Header.Get("Authorization") != "" {
		return nil, "", fmt.Errorf("dns: an authorization can not be carried: TSIG is not supported")
	}
	switch r.Method {
	case dnsform.MethodQuery:
		m, err = WriteQuery(r.URL.RawQuery)
		return m, "", err
	case dnsform.MethodUpdate:
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return nil, "", fmt.Errorf("dns: %w", err)
		}
		u, err := dnsform.Read(body)
		if err != nil {
			return nil, "", fmt.Errorf("dns: %w", err)
		}
		m, err = WriteUpdate(u)
		return m, u.Resource(), err
	}
	return nil, "", fmt.Errorf("dns: %s is no method: expected UPDATE or QUERY", r.Method)
}

// address adds DNS's port where none is given.
func address(host string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return net.JoinHostPort(strings.Trim(host, "[]"), "53")
	}
	return host
}
