package fakes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
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

// snapshot is how the names that an update touches were before it.
type snapshot struct {
	names  map[string][]stored
	serial uint32
}

// carry carries an update out on behalf of an object.
func (z *zone) carry(u dnsform.Update, o *object) snapshot {
	before := snapshot{map[string][]stored{}, z.serial}
	for _, ch := range u.Changes {
		if _, saved := before.names[ch.Name]; !saved {
			before.names[ch.Name] = slices.Clone(z.names[ch.Name])
		}
		z.apply(ch, o)
	}
	return before
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

// added are the records that were not there before, by whomever.
func (z *zone) added(before snapshot) []dnsform.Record {
	var out []dnsform.Record
	for name, old := range before.names {
		for _, r := range z.names[name] {
			if !slices.ContainsFunc(old, func(b stored) bool { return b.Record == r.Record }) {
				out = append(out, r.Record)
			}
		}
	}
	return out
}

// differs reports whether a record came or went.
func (z *zone) differs(before snapshot) bool {
	for name, old := range before.names {
		if !slices.Equal(old, z.names[name]) {
			return true
		}
	}
	return false
}

// parts are those that records make: where an effect has two, text is the second and
// anything else the first.
func (z *zone) parts(op string, records []dnsform.Record) []string {
	all := z.f.p.PartsOf(op)
	if len(all) != 2 {
		return all
	}
	var out []string
	for i, part := range all {
		if slices.ContainsFunc(records, func(r dnsform.Record) bool { return (r.Type == "TXT") == (i == 1) }) {
			out = append(out, part)
		}
	}
	return out
}

// commit carries out an update and writes what it changed into the ledger: first what
// it took away, then what it made. It is called under the lock.
func (z *zone) commit(crossing *harness.Crossing, c *call) (*answer, *object) {
	u, bad := z.update(c)
	if bad == nil {
		bad = z.prerequisites(u)
	}
	if bad != nil {
		return z.f.refusalAnswer(bad), nil
	}
	o := &object{id: u.Resource(), op: c.named.Op, group: c.group, made: z.f.o.Now(),
		business: c.named.BusinessKey, reference: c.named.Reference, print: c.print}
	before := z.carry(u, o)
	e := harness.Effect{At: z.f.offset(o.made), Attempt: crossing.Attempt, Copy: crossing.Copy}
	made := z.lose(before, c, e)
	if added := z.added(before); len(added) > 0 {
		made = o
		o.parts = z.parts(o.op, added)
		z.f.keep(o, c, e)
		z.f.outlook(o)
	}
	if z.serial == before.serial && z.differs(before) {
		// RFC 2136 section 3.6: unless the update brought a serial of its own.
		z.serial++
	}
	return z.f.success(o, c), made
}

// lose takes back each part of which no record is left, and returns one object that
// lost some.
func (z *zone) lose(before snapshot, c *call, e harness.Effect) (last *object) {
	seen := map[*object]bool{}
	for _, name := range slices.Sorted(maps.Keys(before.names)) {
		for _, r := range before.names[name] {
			if r.by == nil || seen[r.by] || slices.ContainsFunc(z.names[name], func(s stored) bool { return s == r }) {
				continue
			}
			seen[r.by] = true
			if z.loses(r.by, c, e) {
				last = r.by
			}
		}
	}
	return last
}

func (z *zone) loses(o *object, c *call, e harness.Effect) bool {
	var left []dnsform.Record
	for _, records := range z.names {
		for _, r := range records {
			if r.by == o {
				left = append(left, r.Record)
			}
		}
	}
	var kept []string
	if len(left) > 0 {
		kept = z.parts(o.op, left)
	}
	e.Kind, e.Op, e.Resource, e.BusinessKey, e.Reference = harness.Undo, c.named.Op, o.id, o.business, o.reference
	for _, part := range o.parts {
		if !slices.Contains(kept, part) {
			e.Part = part
			z.f.ledger.append(e)
		}
	}
	lost := len(kept) < len(o.parts)
	o.parts = kept
	if len(kept) == 0 {
		o.undone, o.gone = true, true
		z.f.store.leave(o)
	}
	return lost
}

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
