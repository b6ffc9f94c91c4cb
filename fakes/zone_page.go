package fakes

import (
	"strings"

	"github.com/retrydrill/drill/targets/dnsform"
)

func (z *zone) show(o *object, _ *call) []byte {
	return dnsform.Answer{RCode: "NOERROR", ID: o.id}.MarshalBody()
}

// page answers a query of one name and type; the type ANY is all (RFC 1035 section
// 3.2.3). A name without records of its own, and with names below it, is there (RFC
// 8020 section 2).
func (z *zone) page(f *Fake, c *call, b []byte) ([]byte, *refusal) {
	name, kind := dnsform.Canonical(c.params.scalars["name"]), c.params.scalars["type"]
	a := dnsform.Answer{RCode: "NOERROR"}
	all := z.seen(name)
	for _, r := range all {
		if kind == "ANY" || r.Type == kind || r.Type == "CNAME" {
			a.Answers = append(a.Answers, r)
		}
	}
	if len(a.Answers) == 0 {
		a.Authority = []dnsform.Record{z.soa()}
		if len(all) == 0 && !z.below(name) {
			a.RCode = "NXDOMAIN"
		}
	}
	a.Names = dnsform.NamesOf(name, a.Answers)
	return append(b, a.MarshalBody()...), nil
}

// seen are the records of a name that reads show by now.
func (z *zone) seen(name string) []dnsform.Record {
	var out []dnsform.Record
	if name == z.origin {
		out = append(out, z.soa())
	}
	for _, r := range z.names[name] {
		if lag := z.f.ways.lag; lag == 0 || r.by == nil || z.f.o.Now().Sub(r.by.made) >= lag {
			out = append(out, r.Record)
		}
	}
	return out
}

func (z *zone) below(name string) bool {
	for other := range z.names {
		if strings.HasSuffix(other, "."+name) {
			return true
		}
	}
	return false
}
