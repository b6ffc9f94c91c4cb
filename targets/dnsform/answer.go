package dnsform

import "encoding/json"

// Answer is the body of an answer.
type Answer struct {
	RCode string `json:"rcode"`
	// ID is what an update changed: its [Update.Resource].
	ID string `json:"id,omitempty"`
	// Names are the names that a query found, with their RRsets by type: one or none.
	Names []Name `json:"names,omitempty"`
	// Answers and Authority are the sections as they go over the wire.
	Answers   []Record `json:"answers,omitempty"`
	Authority []Record `json:"authority,omitempty"`
	// Message is for people; no wire carries it.
	Message string `json:"message,omitempty"`
}

// Name is a name that exists.
type Name struct {
	ID      string         `json:"id"`
	Records map[string]Set `json:"records,omitempty"`
}

// codes are the RCODEs of RFC 1035 section 4.1.1 and RFC 2136 section 2.2, each with
// the status that stands for it. Of those with one status the first is meant where a
// status comes without a code.
var codes = []struct {
	rcode  string
	number int
	status int
}{
	{"NOERROR", 0, 200},
	{"FORMERR", 1, 400},
	{"REFUSED", 5, 403},
	{"NXDOMAIN", 3, 404},
	{"YXDOMAIN", 6, 409},
	{"YXRRSET", 7, 409},
	{"NXRRSET", 8, 412},
	{"NOTZONE", 10, 422},
	{"NOTAUTH", 9, 421},
	{"NOTIMP", 4, 501},
	{"SERVFAIL", 2, 503},
}

// Status is the number that stands for an RCODE; an unknown one is a server's
// failure.
func Status(rcode string) int {
	for _, c := range codes {
		if c.rcode == rcode {
			return c.status
		}
	}
	return 503
}

// RCode is the RCODE that a status stands for; SERVFAIL where none does.
func RCode(status int) string {
	for _, c := range codes {
		if c.status == status {
			return c.rcode
		}
	}
	return "SERVFAIL"
}

// Number is an RCODE on the wire, Named is the way back.
func Number(rcode string) (n int, ok bool) {
	for _, c := range codes {
		if c.rcode == rcode {
			return c.number, true
		}
	}
	return 2, false
}

// Named is the name of an RCODE; SERVFAIL for one that nobody defined.
func Named(number int) string {
	for _, c := range codes {
		if c.number == number {
			return c.rcode
		}
	}
	return "SERVFAIL"
}

// ReadAnswer reads the body of an answer; what is no JSON says nothing but its
// status.
func ReadAnswer(status int, body []byte) Answer {
	var a Answer
	if json.Unmarshal(body, &a) != nil {
		a = Answer{}
	}
	if _, ok := Number(a.RCode); !ok {
		a.RCode = RCode(status)
	}
	return a
}

// MarshalBody writes the answer; an empty list of names is written too, since it
// says that there are none.
func (a Answer) MarshalBody() []byte {
	if a.Names == nil {
		a.Names = []Name{}
	}
	// Names is never left out here.
	type whole struct {
		Names []Name `json:"names"`
		Answer
	}
	b, _ := json.Marshal(whole{a.Names, a})
	return b
}

// NamesOf is what the records tell of one name: it, or nothing.
func NamesOf(name string, records []Record) []Name {
	var own []Record
	for _, r := range records {
		if r.Name == name {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return []Name{}
	}
	return []Name{{ID: name, Records: sets(own)}}
}
