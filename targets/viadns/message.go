// Package viadns puts DNS messages into the shape of package dnsform, and carries
// requests of that shape over DNS (RFC 1035 section 4.2.2: over TCP).
package viadns

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/miekg/dns"

	"github.com/retrydrill/drill/targets/dnsform"
)

// ErrFormat is returned for a message that its format makes senseless; a server
// answers FORMERR.
var ErrFormat = errors.New("the message is not well-formed")

// ReadUpdate reads an UPDATE message (RFC 2136).
func ReadUpdate(m *dns.Msg) (dnsform.Update, error) {
	var u dnsform.Update
	// Section 3.1.1: one zone, of type SOA.
	if len(m.Question) != 1 || m.Question[0].Qtype != dns.TypeSOA {
		return u, fmt.Errorf("%w: an update names one zone, of type SOA", ErrFormat)
	}
	if m.Question[0].Qclass != dns.ClassINET {
		return u, fmt.Errorf("%w: class %s", ErrFormat, dns.Class(m.Question[0].Qclass))
	}
	u.Zone = dns.CanonicalName(m.Question[0].Name)
	for _, rr := range m.Answer {
		p, err := prerequisite(rr)
		if err != nil {
			return u, err
		}
		u.Prerequisites = append(u.Prerequisites, p)
	}
	for _, rr := range m.Ns {
		c, err := change(rr)
		if err != nil {
			return u, err
		}
		u.Changes = append(u.Changes, c)
	}
	return u.Complete(), nil
}

// prerequisite reads one record of the prerequisite section (section 3.2.5).
func prerequisite(rr dns.RR) (dnsform.Prerequisite, error) {
	h := rr.Header()
	p := dnsform.Prerequisite{Name: dns.CanonicalName(h.Name), Type: typeName(h.Rrtype)}
	if h.Ttl != 0 {
		return p, fmt.Errorf("%w: the prerequisite on %s has a TTL", ErrFormat, p.Name)
	}
	whole := h.Rrtype == dns.TypeANY
	if whole {
		p.Type = ""
	}
	switch {
	case h.Class == dns.ClassANY && h.Rdlength == 0 && whole:
		p.Rule = dnsform.NameInUse
	case h.Class == dns.ClassANY && h.Rdlength == 0:
		p.Rule = dnsform.SetExists
	case h.Class == dns.ClassNONE && h.Rdlength == 0 && whole:
		p.Rule = dnsform.NameUnused
	case h.Class == dns.ClassNONE && h.Rdlength == 0:
		p.Rule = dnsform.SetAbsent
	case h.Class == dns.ClassINET && !whole:
		p.Rule, p.Data = dnsform.SetExists, data(rr)
	default:
		return p, fmt.Errorf("%w: a prerequisite of class %s and type %s", ErrFormat, dns.Class(h.Class), dns.Type(h.Rrtype))
	}
	return p, nil
}

// change reads one record of the update section (section 3.4.1.3).
func change(rr dns.RR) (dnsform.Change, error) {
	h := rr.Header()
	c := dnsform.Change{Record: dnsform.Record{Name: dns.CanonicalName(h.Name), Type: typeName(h.Rrtype)}}
	whole := h.Rrtype == dns.TypeANY
	meta := !whole && h.Rrtype > 127 && h.Rrtype < 256
	switch {
	case meta:
	case h.Class == dns.ClassINET && !whole && h.Ttl <= maxTTL:
		c.Op, c.TTL, c.Data = dnsform.Add, h.Ttl, data(rr)
	case h.Class == dns.ClassANY && h.Ttl == 0 && h.Rdlength == 0 && whole:
		c.Op, c.Type = dnsform.DeleteName, ""
	case h.Class == dns.ClassANY && h.Ttl == 0 && h.Rdlength == 0:
		c.Op = dnsform.DeleteSet
	case h.Class == dns.ClassNONE && h.Ttl == 0 && !whole:
		c.Op, c.Data = dnsform.Delete, data(rr)
	}
	if c.Op == "" {
		return c, fmt.Errorf("%w: an update of class %s, type %s and TTL %d", ErrFormat, dns.Class(h.Class), dns.Type(h.Rrtype), h.Ttl)
	}
	return c, nil
}

// maxTTL is the longest time to live in seconds (RFC 2181 section 8).
const maxTTL = 1<<31 - 1

func typeName(t uint16) string { return dns.Type(t).String() }

// data is a record's data in presentation form; names in it are in lower case.
func data(rr dns.RR) string {
	if x, ok := rr.(*dns.RFC3597); ok {
		return fmt.Sprintf(`\# %d %s`, len(x.Rdata)/2, x.Rdata)
	}
	s := strings.TrimPrefix(rr.String(), rr.Header().String())
	switch rr.Header().Rrtype {
	case dns.TypeCNAME, dns.TypeNS, dns.TypePTR, dns.TypeDNAME:
		s = dns.CanonicalName(s)
	}
	return s
}

// record is a dnsform record as one of the wire.
func record(r dnsform.Record) (dns.RR, error) {
	if strings.ContainsFunc(r.Name+r.Type+r.Data, func(c rune) bool { return c < ' ' || c == 0x7f }) || strings.ContainsAny(r.Name, " ;()\"") {
		return nil, fmt.Errorf("record of %q: it holds what no record can", r.Name)
	}
	rr, err := dns.NewRR(fmt.Sprintf("%s %d IN %s %s", r.Name, r.TTL, r.Type, r.Data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("record of %q: %w", r.Name, err)
	case rr == nil:
		return nil, fmt.Errorf("record of %q: there is none", r.Name)
	}
	return rr, nil
}

// WriteUpdate makes the UPDATE message.
func WriteUpdate(u dnsform.Update) (*dns.Msg, error) {
	m := new(dns.Msg)
	m.SetUpdate(u.Zone)
	for _, p := range u.Prerequisites {
		rr, err := writePrerequisite(p)
		if err != nil {
			return nil, err
		}
		m.Answer = append(m.Answer, rr)
	}
	for _, c := range u.Changes {
		rr, err := writeChange(c)
		if err != nil {
			return nil, err
		}
		m.Ns = append(m.Ns, rr)
	}
	return m, nil
}

func writePrerequisite(p dnsform.Prerequisite) (dns.RR, error) {
	class := uint16(dns.ClassANY)
	switch p.Rule {
	case dnsform.NameUnused, dnsform.SetAbsent:
		class = dns.ClassNONE
	case dnsform.SetExists:
		if p.Data != "" {
			return record(dnsform.Record{Name: p.Name, Type: p.Type, Data: p.Data})
		}
	}
	return bare(p.Name, p.Type, class)
}

func writeChange(c dnsform.Change) (dns.RR, error) {
	switch c.Op {
	case dnsform.DeleteName:
		return bare(c.Name, "", dns.ClassANY)
	case dnsform.DeleteSet:
		return bare(c.Name, c.Type, dns.ClassANY)
	}
	rr, err := record(c.Record)
	if err == nil && c.Op == dnsform.Delete {
		rr.Header().Class, rr.Header().Ttl = dns.ClassNONE, 0
	}
	return rr, err
}

// bare is a record without data; no type is every type.
func bare(name, kind string, class uint16) (dns.RR, error) {
	t := dns.TypeANY
	if kind != "" {
		var ok bool
		if t, ok = dns.StringToType[kind]; !ok {
			return nil, fmt.Errorf("record of %q: there is no type %q", name, kind)
		}
	}
	return &dns.ANY{Hdr: dns.RR_Header{Name: dns.Fqdn(name), Rrtype: t, Class: class}}, nil
}

// ReadQuery reads a QUERY message as the query of a request.
func ReadQuery(m *dns.Msg) (string, error) {
	if len(m.Question) != 1 || m.Question[0].Qclass != dns.ClassINET {
		return "", fmt.Errorf("%w: a query asks one question, of class IN", ErrFormat)
	}
	q := m.Question[0]
	return url.Values{"name": {dns.CanonicalName(q.Name)}, "type": {typeName(q.Qtype)}}.Encode(), nil
}

// WriteQuery makes the QUERY message of a request's query.
func WriteQuery(query string) (*dns.Msg, error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	kind, ok := dns.StringToType[v.Get("type")]
	if !ok {
		return nil, fmt.Errorf("query: there is no type %q", v.Get("type"))
	}
	m := new(dns.Msg)
	m.SetQuestion(dns.Fqdn(v.Get("name")), kind)
	m.RecursionDesired = false
	return m, nil
}

// WriteAnswer makes the answer to a message.
func WriteAnswer(to *dns.Msg, a dnsform.Answer) *dns.Msg {
	m := new(dns.Msg)
	m.SetReply(to)
	m.Rcode, _ = dnsform.Number(a.RCode)
	if to.Opcode != dns.OpcodeQuery {
		return m
	}
	m.Authoritative = a.RCode == "NOERROR" || a.RCode == "NXDOMAIN"
	for _, s := range []struct {
		from []dnsform.Record
		to   *[]dns.RR
	}{{a.Answers, &m.Answer}, {a.Authority, &m.Ns}} {
		for _, r := range s.from {
			rr, err := record(r)
			if err != nil {
				m.Rcode, m.Answer, m.Ns = dns.RcodeServerFailure, nil, nil
				return m
			}
			*s.to = append(*s.to, rr)
		}
	}
	return m
}

// ReadAnswer reads the answer to a request. A query that finds nothing has its
// answer all the same, so that its status is that of a success.
func ReadAnswer(m *dns.Msg) (status int, a dnsform.Answer) {
	a.RCode = dnsform.Named(m.Rcode)
	status = dnsform.Status(a.RCode)
	if m.Opcode != dns.OpcodeQuery {
		return status, a
	}
	for _, rr := range m.Answer {
		h := rr.Header()
		a.Answers = append(a.Answers, dnsform.Record{Name: dns.CanonicalName(h.Name), Type: typeName(h.Rrtype), TTL: h.Ttl, Data: data(rr)})
	}
	if len(m.Question) == 1 {
		a.Names = dnsform.NamesOf(dns.CanonicalName(m.Question[0].Name), a.Answers)
	}
	if a.RCode == "NXDOMAIN" {
		status = dnsform.Status("NOERROR")
	}
	return status, a
}
