// Package dnsform is the shape in which a profile reads and writes DNS: an UPDATE
// (RFC 2136) and the answer to a QUERY, as JSON. It knows no wire format.
//
// An UPDATE is the request UPDATE /add, or UPDATE /delete where it only takes away,
// with an [Update] as its body; a QUERY is QUERY /?name=…&type=…. The status of an
// answer stands for its RCODE, see [Status].
package dnsform

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The methods and paths of requests.
const (
	MethodUpdate = "UPDATE"
	MethodQuery  = "QUERY"
	PathAdd      = "/add"
	PathDelete   = "/delete"
	PathQuery    = "/"
)

// Record is one resource record of class IN. Names are absolute and in lower case;
// Data is the presentation form of RFC 1035 section 5.1.
type Record struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	TTL  uint32 `json:"ttl"`
	Data string `json:"data,omitempty"`
}

// The operations of a change (RFC 2136 section 2.5).
const (
	Add        = "add"
	DeleteSet  = "delete-rrset"
	DeleteName = "delete-name"
	Delete     = "delete"
)

// Change is one line of an update section.
type Change struct {
	Op string `json:"op"`
	Record
}

// The rules of a prerequisite (RFC 2136 section 2.4), named by the RCODE that tells
// of their breach turned round: NXDOMAIN demands that the name is not in use.
const (
	NameInUse  = "YXDOMAIN"
	NameUnused = "NXDOMAIN"
	SetExists  = "YXRRSET"
	SetAbsent  = "NXRRSET"
)

// Prerequisite is one line of a prerequisite section. With Data, YXRRSET demands the
// set to be exactly what all such lines list.
type Prerequisite struct {
	Rule string `json:"rule"`
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Data string `json:"data,omitempty"`
}

// Set is an RRset as a profile's template names it, under its type. The data of
// several records stand in sorted order with a space between them; text (TXT) is
// written plainly.
type Set struct {
	Name string  `json:"name,omitempty"`
	TTL  lenient `json:"ttl,omitempty"`
	Data string  `json:"data,omitempty"`
}

// Update is one UPDATE message.
type Update struct {
	Zone          string         `json:"zone"`
	Prerequisites []Prerequisite `json:"prerequisites,omitempty"`
	Changes       []Change       `json:"changes,omitempty"`

	// The rest says the same in the form that a profile's template can name, and is
	// what a message is made of where the lists above are empty. Requires maps a rule
	// to a name, Records a type to what is added (the first name's, where there are
	// several), Deletes a type to what is taken away; there the type ANY is all.
	Requires map[string]string `json:"requires,omitempty"`
	Records  map[string]Set    `json:"records,omitempty"`
	Deletes  map[string]Set    `json:"deletes,omitempty"`
}

// lenient is a TTL that may be written as a string.
type lenient uint32

// UnmarshalJSON reads either form.
func (l *lenient) UnmarshalJSON(b []byte) error {
	var n uint32
	if err := json.Unmarshal([]byte(strings.Trim(string(b), `"`)), &n); err != nil {
		return fmt.Errorf("ttl is %s: expected seconds below 2^31", b)
	}
	*l = lenient(n)
	return nil
}

// Canonical is a name as records hold it.
func Canonical(name string) string {
	name = strings.ToLower(name)
	if !strings.HasSuffix(name, ".") {
		name += "."
	}
	return name
}

// Read reads the body of an UPDATE, and fills the lists from the template's form.
func Read(b []byte) (Update, error) {
	var u Update
	if err := json.Unmarshal(b, &u); err != nil {
		return u, fmt.Errorf("update: %w", err)
	}
	if len(u.Prerequisites) > 0 || len(u.Changes) > 0 {
		return u, nil
	}
	u.Zone = Canonical(u.Zone)
	for _, rule := range slices.Sorted(maps.Keys(u.Requires)) {
		name, kind, _ := strings.Cut(u.Requires[rule], " ")
		p := Prerequisite{Rule: rule, Name: Canonical(name), Type: kind}
		if !slices.Contains([]string{NameInUse, NameUnused, SetExists, SetAbsent}, rule) {
			return u, fmt.Errorf("update: there is no prerequisite %q", rule)
		}
		if (kind == "") != (rule == NameInUse || rule == NameUnused) {
			return u, fmt.Errorf("update: %s %q: expected a name, and for a set its type after a space", rule, u.Requires[rule])
		}
		u.Prerequisites = append(u.Prerequisites, p)
	}
	for _, kind := range slices.Sorted(maps.Keys(u.Deletes)) {
		s := u.Deletes[kind]
		c := Change{Op: DeleteSet, Record: Record{Name: Canonical(s.Name), Type: kind}}
		switch {
		case kind == "ANY":
			c.Op, c.Type = DeleteName, ""
		case s.Data != "":
			c.Op, c.Data = Delete, written(kind, s.Data)
		}
		u.Changes = append(u.Changes, c)
	}
	for _, kind := range slices.Sorted(maps.Keys(u.Records)) {
		s := u.Records[kind]
		if s.Data == "" {
			// A template's variable that was empty.
			continue
		}
		for _, d := range s.split(kind) {
			u.Changes = append(u.Changes, Change{Op: Add, Record: Record{Name: Canonical(s.Name), Type: kind, TTL: uint32(s.TTL), Data: d}})
		}
	}
	return u, nil
}

// split are the data of the set's records.
func (s Set) split(kind string) []string {
	switch kind {
	case "A", "AAAA":
		return strings.Fields(s.Data)
	}
	return []string{written(kind, s.Data)}
}

// Complete fills the template's form from the lists.
func (u Update) Complete() Update {
	u.Requires, u.Records, u.Deletes = nil, nil, nil
	for _, p := range u.Prerequisites {
		if u.Requires == nil {
			u.Requires = map[string]string{}
		}
		if _, there := u.Requires[p.Rule]; !there {
			u.Requires[p.Rule] = strings.TrimSpace(p.Name + " " + p.Type)
		}
	}
	var added []Record
	for _, c := range u.Changes {
		if c.Op == Add {
			added = append(added, c.Record)
			continue
		}
		if u.Deletes == nil {
			u.Deletes = map[string]Set{}
		}
		kind := c.Type
		if c.Op == DeleteName {
			kind = "ANY"
		}
		if _, there := u.Deletes[kind]; !there {
			u.Deletes[kind] = Set{Name: c.Name, Data: plain(kind, c.Data)}
		}
	}
	u.Records = sets(added)
	return u
}

// Path is where a request of this update goes.
func (u Update) Path() string {
	if slices.ContainsFunc(u.Changes, func(c Change) bool { return c.Op == Add }) || len(u.Changes) == 0 {
		return PathAdd
	}
	return PathDelete
}

// Resource is the ID of what an update changes: the first name that it adds to, or
// takes from.
func (u Update) Resource() string {
	for _, add := range []bool{true, false} {
		for _, c := range u.Changes {
			if (c.Op == Add) == add {
				return c.Name
			}
		}
	}
	return u.Zone
}

// sets groups records by type; of a type, those of the first record's name.
func sets(records []Record) map[string]Set {
	data := map[string][]string{}
	out := map[string]Set{}
	for _, r := range records {
		s, there := out[r.Type]
		if there && s.Name != r.Name {
			continue
		}
		out[r.Type] = Set{Name: r.Name, TTL: lenient(r.TTL)}
		data[r.Type] = append(data[r.Type], plain(r.Type, r.Data))
	}
	for kind, d := range data {
		slices.Sort(d)
		s := out[kind]
		s.Data = strings.Join(slices.Compact(d), " ")
		out[kind] = s
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
