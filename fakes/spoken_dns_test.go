package fakes_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

const shopZone = "shop.test."

func rrs(t testing.TB, texts ...string) (out []dns.RR) {
	t.Helper()
	for _, s := range texts {
		rr, err := dns.NewRR(s)
		require.NoError(t, err)
		out = append(out, rr)
	}
	return out
}

// owned is an update that makes a record with its marker, if the name is free.
func owned(t testing.TB, name, owner string) *dns.Msg {
	t.Helper()
	m := new(dns.Msg)
	m.SetUpdate(shopZone)
	m.Id = 0x1234
	m.NameNotUsed(rrs(t, name+" A 0.0.0.0"))
	m.Insert(rrs(t, name+" 300 A 192.0.2.10", name+` 300 TXT "`+owner+`"`))
	return m
}

// framed is a message as TCP carries it.
func framed(t testing.TB, m *dns.Msg) string {
	t.Helper()
	b, err := m.Pack()
	require.NoError(t, err)
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(b)))) + string(b)
}

// asks sends a message on a new connection and returns the answer.
func (s *stood) asks(m *dns.Msg) *dns.Msg {
	s.t.Helper()
	c := &dns.Client{Net: "tcp", Timeout: patience}
	a, _, err := c.Exchange(m, s.address())
	require.NoError(s.t, err)
	return a
}

func (s *stood) update(shape func(m *dns.Msg)) string {
	s.t.Helper()
	m := new(dns.Msg)
	m.SetUpdate(shopZone)
	shape(m)
	return dns.RcodeToString[s.asks(m).Rcode]
}

// TestUpdateFaultsStrikeExactly sends an update under each fault, and then one of
// another name: the first is struck, the second is not.
func TestUpdateFaultsStrikeExactly(t *testing.T) {
	reply := new(dns.Msg)
	reply.SetReply(owned(t, "www."+shopZone, "act-A"))
	whole := framed(t, reply)
	const head = 2 + 12
	refused := func(rcode int) string {
		m := reply.Copy()
		m.Rcode = rcode
		return framed(t, m)
	}
	for _, c := range []struct {
		line    string
		bytes   string
		end     string
		commits int
	}{
		{"create#1 request close", "", "eof", 0},
		{"create#1 request reset", "", "reset", 0},
		{"create#1 request hang", "", "silence", 0},
		{"create#1 request cut 5", "", "eof", 0},
		{"create#1 response close", "", "eof", 1},
		{"create#1 response reset", "", "reset", 1},
		{"create#1 response hang", "", "silence", 1},
		{"create#1 response truncate 0", whole[:head], "eof", 1},
		{"create#1 response truncate 5", whole[:head+5], "eof", 1},
		{"create#1 response truncate head 12", whole[:12], "eof", 1},
		{"create#1 response status 503", refused(dns.RcodeServerFailure), "silence", 1},
		{"create#1 request status 503", refused(dns.RcodeServerFailure), "silence", 0},
		{"create#1 target reject 403", refused(dns.RcodeRefused), "silence", 0},
		{"create#1 target reject 409 YXRRSET", refused(dns.RcodeYXRrset), "silence", 0},
		{"create#1 target fail 503", refused(dns.RcodeServerFailure), "silence", 1},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/warm=%v", c.line, warm), func(t *testing.T) {
				s := stand(t, "dns-update", "")
				s.arm(c.line)
				k := s.dial()
				if warm {
					q := new(dns.Msg)
					q.SetQuestion(shopZone, dns.TypeSOA)
					_, err := k.Write([]byte(framed(t, q)))
					require.NoError(t, err)
					require.Equal(t, "silence", k.rest(head).end)
				}
				_, err := k.Write([]byte(framed(t, owned(t, "www."+shopZone, "act-A"))))
				require.NoError(t, err)
				due := len(c.bytes)
				if c.end != "silence" {
					due = 1 << 30
				}
				require.Equal(t, saw{c.bytes, c.end}, k.rest(due))
				s.fired()
				// An effect of a record and its marker has two entries.
				require.Len(t, s.Effects(), 2*c.commits)
				require.Equal(t, dns.RcodeSuccess, s.asks(owned(t, "other."+shopZone, "act-B")).Rcode)
				require.Len(t, s.Effects(), 2*c.commits+2, "the next update passes")
				require.Len(t, events(s.Events(), harness.EvFault), 1, "it fires once")
			})
		}
	}
}

// TestTornUpdate ends a connection inside a message: nothing is done, and it is on
// record.
func TestTornUpdate(t *testing.T) {
	s := stand(t, "dns-update", "")
	all := framed(t, owned(t, "www."+shopZone, "act-A"))
	for _, n := range []int{1, 2, 10, 20, len(all) - 1} {
		k := s.dial()
		_, err := k.Write([]byte(all[:n]))
		require.NoError(t, err)
		require.NoError(t, k.Close())
	}
	require.Eventually(t, func() bool { return len(events(s.Events(), harness.EvTorn)) == 2 }, patience, time.Millisecond,
		"those of which the header came whole")
	require.Empty(t, s.Effects())
}

// TestPrerequisites walks RFC 2136 section 3.2 by a client of its own.
func TestPrerequisites(t *testing.T) {
	s := stand(t, "dns-update", "")
	www := "www." + shopZone
	require.Equal(t, "NOERROR", dns.RcodeToString[s.asks(owned(t, www, "act-A")).Rcode])
	require.Len(t, s.Effects(), 2)
	none := func(m *dns.Msg) {}
	for _, c := range []struct {
		want  string
		shape func(m *dns.Msg)
	}{
		{"YXDOMAIN", func(m *dns.Msg) { m.NameNotUsed(rrs(t, www+" A 0.0.0.0")) }},
		{"NXDOMAIN", func(m *dns.Msg) { m.NameUsed(rrs(t, "free."+www+" A 0.0.0.0")) }},
		{"YXRRSET", func(m *dns.Msg) { m.RRsetNotUsed(rrs(t, www+" A 0.0.0.0")) }},
		{"NXRRSET", func(m *dns.Msg) { m.RRsetUsed(rrs(t, www+" AAAA ::1")) }},
		{"NXRRSET", func(m *dns.Msg) { m.Used(rrs(t, www+" A 192.0.2.99")) }},
		{"NXRRSET", func(m *dns.Msg) { m.Used(rrs(t, www+" A 192.0.2.10", www+" A 192.0.2.11")) }},
		{"NOTZONE", func(m *dns.Msg) { m.NameUsed(rrs(t, "www.elsewhere.test. A 0.0.0.0")) }},
		{"NOTZONE", func(m *dns.Msg) { m.Insert(rrs(t, "www.elsewhere.test. 300 A 192.0.2.1")) }},
		{"NOTAUTH", func(m *dns.Msg) { m.SetUpdate("elsewhere.test.") }},
		{"NOERROR", func(m *dns.Msg) { m.Used(rrs(t, strings.ToUpper(www)+" A 192.0.2.10")) }},
		{"NOERROR", func(m *dns.Msg) { m.NameUsed(rrs(t, www+" A 0.0.0.0")) }},
		{"FORMERR", func(m *dns.Msg) { m.Question[0].Qtype = dns.TypeA }},
		{"FORMERR", func(m *dns.Msg) { m.Answer = rrs(t, www+" 300 A 192.0.2.10") }},
		{"NOERROR", none},
	} {
		require.Equal(t, c.want, s.update(c.shape))
		require.Len(t, s.Effects(), 2, "a prerequisite changes nothing")
	}
}

// TestWhatChangesNothingIsNoEffect adds, adds again and takes away, and reads it back
// by queries.
func TestWhatChangesNothingIsNoEffect(t *testing.T) {
	s := stand(t, "dns-update", "")
	www := "www." + shopZone
	add := func(texts ...string) func(m *dns.Msg) { return func(m *dns.Msg) { m.Insert(rrs(t, texts...)) } }
	steps := []struct {
		what    string
		shape   func(m *dns.Msg)
		kinds   []string
		answers map[uint16]int
	}{
		{"add", add(www + " 300 A 192.0.2.10"), []string{"do record"}, map[uint16]int{dns.TypeA: 1, dns.TypeTXT: 0, dns.TypeANY: 1}},
		{"the same again", add(strings.ToUpper(www) + " 300 A 192.0.2.10"), nil, map[uint16]int{dns.TypeA: 1}},
		{"an alias beside it is ignored", add(www + " 300 CNAME elsewhere.test."), nil, map[uint16]int{dns.TypeA: 1}},
		{"a marker", add(www + ` 300 TXT "owner=1" "and more"`), []string{"do marker"}, map[uint16]int{dns.TypeANY: 2}},
		{"take away what is not there", func(m *dns.Msg) { m.RemoveRRset(rrs(t, www+" AAAA ::1")) }, nil, map[uint16]int{dns.TypeANY: 2}},
		{"take away one", func(m *dns.Msg) { m.Remove(rrs(t, www+" A 192.0.2.10")) }, []string{"undo record"}, map[uint16]int{dns.TypeA: 0, dns.TypeANY: 1}},
		{"take away the name", func(m *dns.Msg) { m.RemoveName(rrs(t, www+" A 0.0.0.0")) }, []string{"undo marker"}, map[uint16]int{dns.TypeANY: 0}},
		{"an alias", add(www + " 300 CNAME Elsewhere.test."), []string{"do record"}, map[uint16]int{dns.TypeCNAME: 1, dns.TypeA: 1}},
	}
	seen := 0
	for _, c := range steps {
		require.Equal(t, "NOERROR", s.update(c.shape), c.what)
		var kinds []string
		for _, e := range s.Effects()[seen:] {
			kinds = append(kinds, e.Kind+" "+e.Part)
		}
		seen = len(s.Effects())
		require.Equal(t, c.kinds, kinds, c.what)
		for kind, n := range c.answers {
			q := new(dns.Msg)
			q.SetQuestion(www, kind)
			a := s.asks(q)
			require.Len(t, a.Answer, n, "%s: %s", c.what, dns.TypeToString[kind])
			require.True(t, a.Authoritative)
			if n == 0 {
				require.Len(t, a.Ns, 1, "%s: the zone's SOA tells how long that holds", c.what)
			}
		}
	}
	soa := new(dns.Msg)
	soa.SetQuestion(shopZone, dns.TypeSOA)
	require.EqualValues(t, 6, s.asks(soa).Answer[0].(*dns.SOA).Serial, "one for each update that changed something")
	for _, c := range []struct {
		name  string
		rcode int
	}{{"nobody." + shopZone, dns.RcodeNameError}, {"www.elsewhere.test.", dns.RcodeRefused}} {
		q := new(dns.Msg)
		q.SetQuestion(c.name, dns.TypeA)
		require.Equal(t, c.rcode, s.asks(q).Rcode, c.name)
	}
}

// TestWhatNoServerTakes is answered by the protocol itself and reaches no target.
func TestWhatNoServerTakes(t *testing.T) {
	s := stand(t, "dns-update", "")
	m := owned(t, "www."+shopZone, "act-A")
	m.SetTsig("key.", dns.HmacSHA256, 300, time.Now().Unix())
	c := &dns.Client{Net: "tcp", TsigSecret: map[string]string{"key.": "c2VjcmV0"}}
	k, err := c.Dial(s.address())
	require.NoError(t, err)
	defer k.Close()
	k.TsigSecret = c.TsigSecret
	require.NoError(t, k.WriteMsg(m))
	a := new(dns.Msg)
	raw, err := k.ReadMsgHeader(nil)
	require.NoError(t, err)
	require.NoError(t, a.Unpack(raw))
	require.Equal(t, dns.RcodeNotAuth, a.Rcode)
	n := new(dns.Msg)
	n.SetNotify(shopZone)
	require.Equal(t, dns.RcodeNotImplemented, s.asks(n).Rcode)
	require.Empty(t, s.Effects())
	require.Empty(t, events(s.Events(), harness.EvRequest))
}
