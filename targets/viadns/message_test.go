package viadns

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/targets/dnsform"
)

// TestWrittenIsRead: an update that a profile makes is the one that a server reads.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z][a-z0-9]{0,8}`).Draw(t, "name") + ".shop.test."
		body := map[string]any{"zone": "Shop.test", "records": map[string]any{
			"A":   map[string]any{"name": name, "ttl": "300", "data": "192.0.2.2 192.0.2.1"},
			"TXT": map[string]any{"name": name, "ttl": 60, "data": rapid.StringN(1, 400, 600).Draw(t, "text")},
		}, "requires": map[string]string{"NXDOMAIN": name, "NXRRSET": name + " A"}}
		b, err := json.Marshal(body)
		require.NoError(t, err)
		u, err := dnsform.Read(b)
		require.NoError(t, err)
		m, err := WriteUpdate(u)
		require.NoError(t, err)
		wire, err := m.Pack()
		require.NoError(t, err)
		got := new(dns.Msg)
		require.NoError(t, got.Unpack(wire))
		back, err := ReadUpdate(got)
		require.NoError(t, err)
		require.Equal(t, u.Prerequisites, back.Prerequisites)
		require.Equal(t, "192.0.2.1 192.0.2.2", back.Records["A"].Data)
		require.Equal(t, body["records"].(map[string]any)["TXT"].(map[string]any)["data"], back.Records["TXT"].Data)
		require.Equal(t, name, back.Resource())
		require.Equal(t, dnsform.PathAdd, back.Path())
	})
}

func TestWriteRefuses(t *testing.T) {
	for _, r := range []dnsform.Record{
		{Name: "a b.test.", Type: "A", Data: "192.0.2.1"},
		{Name: "a.test.", Type: "A", Data: "192.0.2.1\nb.test. 300 IN A 192.0.2.2"},
		{Name: "a.test.", Type: "A", Data: "not an address"},
		{Name: "a.test.", Type: "NOSUCH", Data: "x"},
		{Name: "a.test.;", Type: "A", Data: "192.0.2.1"},
	} {
		_, err := WriteUpdate(dnsform.Update{Zone: "test.", Changes: []dnsform.Change{{Op: dnsform.Add, Record: r}}})
		require.Error(t, err, "%+v", r)
	}
	_, err := WriteQuery("name=a.test&type=NOSUCH")
	require.Error(t, err)
}

// TestCodesAgree: each RCODE of the shape is that of the wire, and stands for one
// status from which it comes back where it is the first of it.
func TestCodesAgree(t *testing.T) {
	for _, name := range []string{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH", "NOTZONE"} {
		n, ok := dnsform.Number(name)
		require.True(t, ok, name)
		require.Equal(t, name, dnsform.Named(n))
		require.Equal(t, name, strings.ToUpper(dns.RcodeToString[n]))
		require.Equal(t, dnsform.Status(name), dnsform.Status(dnsform.RCode(dnsform.Status(name))))
	}
	require.Equal(t, 503, dnsform.Status("BADKEY"))
}

// FuzzMessage reads any bytes as a message: no crash, and what is read can be told as
// JSON and be written again as the same update.
func FuzzMessage(f *testing.F) {
	m := new(dns.Msg)
	m.SetUpdate("shop.test.")
	rr, err := dns.NewRR(`www.shop.test. 300 IN TXT "a\"b" "\255"`)
	require.NoError(f, err)
	m.NameNotUsed([]dns.RR{rr})
	m.Insert([]dns.RR{rr})
	m.RemoveName([]dns.RR{rr})
	m.Remove([]dns.RR{rr})
	for _, x := range []*dns.Msg{m, new(dns.Msg).SetQuestion("www.shop.test.", dns.TypeANY), new(dns.Msg).SetNotify("shop.test.")} {
		b, err := x.Pack()
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte("\x00\x01\x28\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := new(dns.Msg)
		if m.Unpack(raw) != nil {
			return
		}
		if q, err := ReadQuery(m); err == nil {
			require.NotEmpty(t, q)
		}
		_, a := ReadAnswer(m)
		require.NotEmpty(t, a.MarshalBody())
		u, err := ReadUpdate(m)
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		b, err := json.Marshal(u)
		require.NoError(t, err)
		back, err := dnsform.Read(b)
		require.NoError(t, err)
		require.Len(t, back.Changes, len(m.Ns))
		require.Len(t, back.Prerequisites, len(m.Answer))
	})
}
