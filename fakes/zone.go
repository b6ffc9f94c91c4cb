package fakes

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/retrydrill/drill/targets/dnsform"
)

// zone is the domain of one DNS zone: its objects are names, and an update is
// carried out as RFC 2136 section 3 says, whole or not at all. One that changes
// nothing is no effect.
type zone struct {
	f      *Fake
	origin string
	serial uint32
	names  map[string][]stored
}

// stored is one record and what it belongs to; nil is the zone itself.
type stored struct {
	dnsform.Record
	by *object
}

// The zone's own records: what every zone has at its top.
const (
	zoneTTL    = 3600
	nameServer = "ns."
	// soaTimes are refresh, retry, expire and minimum in seconds (RFC 1035 section
	// 3.3.13).
	soaTimes = "3600 600 604800 300"
)

func newZone(f *Fake) *zone {
	return &zone{f: f, origin: dnsform.Canonical(f.p.Fake.Zone), names: map[string][]stored{}}
}

func (z *zone) reset() error {
	z.serial = 1
	clear(z.names)
	z.names[z.origin] = []stored{
		{dnsform.Record{Name: z.origin, Type: "NS", TTL: zoneTTL, Data: nameServer + z.origin}, nil},
	}
	return nil
}

// soa is the zone's SOA record as it is now.
func (z *zone) soa() dnsform.Record {
	return dnsform.Record{Name: z.origin, Type: "SOA", TTL: zoneTTL,
		Data: nameServer + z.origin + " hostmaster." + z.origin + " " + uintText(z.serial) + " " + soaTimes}
}

// holds reports whether a name is in the zone.
func (z *zone) holds(name string) bool {
	return name == z.origin || strings.HasSuffix(name, "."+z.origin)
}

// denied refuses with an RCODE.
func denied(rcode, why string) *refusal {
	return &refusal{status: dnsform.Status(rcode), code: rcode, message: why}
}

func (z *zone) check(c *call) *refusal {
	if !c.op.Changes {
		if name := c.params.scalars["name"]; !z.holds(dnsform.Canonical(name)) {
			return denied("REFUSED", "this server has no zone of "+name)
		}
		return nil
	}
	_, bad := z.update(c)
	return bad
}

// update reads the update of a write, and refuses one that no zone of this server
// takes (RFC 2136 sections 3.1.2 and 3.4.1.3).
func (z *zone) update(c *call) (dnsform.Update, *refusal) {
	b, err := json.Marshal(c.params.doc)
	if err != nil {
		return dnsform.Update{}, denied("FORMERR", err.Error())
	}
	u, err := dnsform.Read(b)
	if err != nil {
		return u, denied("FORMERR", err.Error())
	}
	if dnsform.Canonical(u.Zone) != z.origin {
		return u, denied("NOTAUTH", "this server has no zone "+u.Zone)
	}
	for _, p := range u.Prerequisites {
		if !z.holds(p.Name) {
			return u, denied("NOTZONE", p.Name+" is not in "+z.origin)
		}
	}
	for _, ch := range u.Changes {
		if !z.holds(ch.Name) {
			return u, denied("NOTZONE", ch.Name+" is not in "+z.origin)
		}
	}
	return u, nil
}

func (z *zone) set(name string, records []stored) {
	if len(records) == 0 {
		delete(z.names, name)
		return
	}
	z.names[name] = records
}

func (z *zone) group(c *call) string { return c.named.BusinessKey }

// make is for what stands before a trial, and for an answer to what is not done.
func (z *zone) make(_ *Fake, _ string, c *call) (*object, *refusal) {
	u, bad := z.update(c)
	if bad == nil {
		bad = z.prerequisites(u)
	}
	if bad != nil {
		return nil, bad
	}
	o := &object{id: u.Resource()}
	before := z.carry(u, o)
	o.data = before
	o.parts = z.parts(c.named.Op, z.added(before))
	return o, nil
}

// unmake removes the records of an object that is kept, and undoes the making of one
// that is not.
func (z *zone) unmake(o *object) {
	if before, unkept := o.data.(snapshot); unkept && z.f.store.at(o.op, o.id) != o {
		z.serial = before.serial
		for name, records := range before.names {
			z.set(name, records)
		}
		return
	}
	for name, records := range z.names {
		z.set(name, slices.DeleteFunc(slices.Clone(records), func(r stored) bool { return r.by == o }))
	}
	z.serial++
}
