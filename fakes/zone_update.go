package fakes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retrydrill/drill/targets/dnsform"
)

// prerequisites are checked as RFC 2136 section 3.2.5 says: those on a whole name or
// set one by one, those on values once their sets are complete.
func (z *zone) prerequisites(u dnsform.Update) *refusal {
	type set struct{ name, kind string }
	wanted := map[set][]string{}
	var order []set
	for _, p := range u.Prerequisites {
		there := z.records(p.Name, p.Type)
		switch {
		case p.Rule == dnsform.NameInUse && len(there) == 0:
			return denied("NXDOMAIN", p.Name+" is not in use")
		case p.Rule == dnsform.NameUnused && len(there) > 0:
			return denied("YXDOMAIN", p.Name+" is in use")
		case p.Rule == dnsform.SetAbsent && len(there) > 0:
			return denied("YXRRSET", p.Name+" has "+p.Type)
		case p.Rule == dnsform.SetExists && p.Data == "" && len(there) == 0:
			return denied("NXRRSET", p.Name+" has no "+p.Type)
		case p.Rule == dnsform.SetExists && p.Data != "":
			s := set{p.Name, p.Type}
			if _, known := wanted[s]; !known {
				order = append(order, s)
			}
			wanted[s] = append(wanted[s], p.Data)
		}
	}
	for _, s := range order {
		want := wanted[s]
		var have []string
		for _, r := range z.records(s.name, s.kind) {
			have = append(have, r.Data)
		}
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(slices.Compact(want), have) {
			return denied("NXRRSET", s.name+" has another "+s.kind)
		}
	}
	return nil
}

// records are those of a name and a type; no type is every type.
func (z *zone) records(name, kind string) []dnsform.Record {
	var out []dnsform.Record
	if name == z.origin && (kind == "" || kind == "SOA") {
		out = append(out, z.soa())
	}
	for _, r := range z.names[name] {
		if kind == "" || r.Type == kind {
			out = append(out, r.Record)
		}
	}
	return out
}

// apply carries out one change (RFC 2136 section 3.4.2). What the section says to
// ignore is ignored without a word.
func (z *zone) apply(ch dnsform.Change, by *object) {
	if ch.Op == dnsform.Add {
		z.add(ch.Record, by)
		return
	}
	top := ch.Name == z.origin
	kept := slices.DeleteFunc(slices.Clone(z.names[ch.Name]), func(r stored) bool {
		switch ch.Op {
		case dnsform.DeleteName:
			return !(top && r.Type == "NS")
		case dnsform.DeleteSet:
			return r.Type == ch.Type && !(top && r.Type == "NS")
		}
		last := top && r.Type == "NS" && len(z.records(ch.Name, "NS")) == 1
		return r.Type == ch.Type && r.Data == ch.Data && !last
	})
	z.set(ch.Name, kept)
}

// add adds a record or puts it in the place of its like. A CNAME stands alone, and
// the zone's SOA is its own affair.
func (z *zone) add(r dnsform.Record, by *object) {
	there := z.names[r.Name]
	alias := func(s stored) bool { return s.Type == "CNAME" }
	switch {
	case r.Type == "SOA":
		// Of what an SOA says, the serial is all that is kept.
		if n, ok := serialOf(r.Data); ok && r.Name == z.origin && int32(n-z.serial) > 0 {
			z.serial = n
		}
		return
	case r.Type == "CNAME" && (r.Name == z.origin || slices.ContainsFunc(there, func(s stored) bool { return !alias(s) })):
		return
	case r.Type != "CNAME" && slices.ContainsFunc(there, alias):
		return
	}
	kept := slices.DeleteFunc(slices.Clone(there), func(s stored) bool {
		return s.Record != r && s.Type == r.Type && (s.Data == r.Data || r.Type == "CNAME")
	})
	if !slices.ContainsFunc(kept, func(s stored) bool { return s.Record == r }) {
		kept = append(kept, stored{r, by})
	}
	z.set(r.Name, kept)
}

// serialOf reads the serial of an SOA's data; serials are compared as RFC 1982 section
// 3.2 says.
func serialOf(data string) (uint32, bool) {
	fields := strings.Fields(data)
	if len(fields) != 7 {
		return 0, false
	}
	n, err := strconv.ParseUint(fields[2], 10, 32)
	return uint32(n), err == nil
}

func uintText(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
