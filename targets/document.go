package targets

import "github.com/retrydrill/drill/harness"

// Document is a profile as it is written. The fields of a loaded one are read and
// never changed.
type Document struct {
	Name string `yaml:"name"`
	// Kind is where drill lists it: provider, shape or domain; a profile of one's own
	// has none.
	Kind   string `yaml:"kind"`
	About  string `yaml:"about"`
	Source string `yaml:"source"`
	// Protocol is smtp or dns where the API is not spoken over HTTP.
	Protocol string `yaml:"protocol"`

	Auth        Auth        `yaml:"auth"`
	Idempotency Idempotency `yaml:"idempotency"`
	// Errors give (status, code) a class. The first that fits counts; what is not
	// listed is unknown.
	Errors    []harness.ErrorClass `yaml:"errors"`
	ErrorBody ErrorBody            `yaml:"error_body"`
	Answers   Answers              `yaml:"answers"`
	Lookup    Lookup               `yaml:"lookup"`
	// Reference is the field on which the action ID is stamped, or empty.
	Reference string `yaml:"reference"`
	// RequestID is the answer's header that names the request, or empty.
	RequestID string `yaml:"request_id"`
	// Parts are the parts of one effect, in the order in which an executor makes
	// them; none means that an effect has one part.
	Parts []string `yaml:"parts"`
	// Events says of which operations the target tells by itself.
	Events Events `yaml:"events"`
	// FormNames says how a form names a field of a field: brackets, a[b], or dots, a.b.
	FormNames  string               `yaml:"form_names"`
	Operations map[string]Operation `yaml:"operations"`
	Refusals   map[string]Refusal   `yaml:"refusals"`
	Fake       Domain               `yaml:"fake"`
	Example    Example              `yaml:"example"`
}

// Auth says how a request proves who sends it.
type Auth struct {
	// Schemes are bearer (Authorization: Bearer TOKEN), basic (the token is the user)
	// and sigv4 (the token is the access key ID, and the signature is not verified).
	// The client uses the first; none means that nothing is proven.
	Schemes []string `yaml:"schemes"`
	Source  string   `yaml:"source"`
}

// Idempotency is what the API does with a repeated key.
type Idempotency struct {
	Source string `yaml:"source"`
	Key    Key    `yaml:"key"`
	// Retention is how long a key is kept, like 24h; empty is without end.
	Retention string `yaml:"retention"`
	// Scope is account, endpoint, resource or none.
	Scope string `yaml:"scope"`
	// Same is replay, equivalent or re-execute.
	Same string `yaml:"same_arguments"`
	// Other is a refusal, or replay or execute.
	Other Reaction `yaml:"other_arguments"`
	// InFlight is the answer while the first request is still at work; without one
	// the second waits for the first and gets its answer.
	InFlight Refusal `yaml:"in_flight"`
	Stored   Stored  `yaml:"stored"`
	// Gone: what a replay says once its object was deleted (replay, refuse,
	// re-execute).
	Gone string `yaml:"gone"`
	// ReplayHeader marks a replayed answer; one header at most.
	ReplayHeader map[string]string `yaml:"replay_header"`
	// Echo: every answer carries the key in the header in which it came.
	Echo bool `yaml:"echo"`
}

// Key says where the idempotency key stands and what it may look like. Neither
// Header nor Body: the API knows no key.
type Key struct {
	Header string `yaml:"header"`
	Body   string `yaml:"body"`
	// Quoted: the header holds a string as in structured fields (RFC 8941 section
	// 3.3.3), in quotes.
	Quoted bool `yaml:"quoted"`
	// Max bounds its characters; zero is without bound.
	Max int `yaml:"max"`
	// Malformed is refuse or ignore; Missing is accept or refuse.
	Malformed string `yaml:"malformed"`
	Missing   string `yaml:"missing"`
}

// Reaction is a refusal, written {status, code}, or one word.
type Reaction struct {
	Word string
	Refusal
}

// UnmarshalYAML reads either form.
func (r *Reaction) UnmarshalYAML(decode func(any) error) error {
	if err := decode(&r.Word); err == nil {
		return nil
	}
	return decode(&r.Refusal)
}

// Refusal is an answer that refuses.
type Refusal struct {
	Status int    `yaml:"status"`
	Code   string `yaml:"code"`
	// RetryAfter is how many seconds the client is asked to wait; zero asks nothing.
	RetryAfter int `yaml:"retry_after"`
}

// Stored says which outcomes are kept under a key.
type Stored struct {
	// Executed lists success, error (4xx) and 5xx: kept once execution began.
	Executed []string `yaml:"executed"`
	// Never lists validation and statuses.
	Never []any `yaml:"never"`
}

// ErrorBody is the shape of an error answer.
type ErrorBody struct {
	Source string `yaml:"source"`
	// Code lists the fields in which the code stands; the first that is there counts.
	Code []string `yaml:"code"`
	// Fields maps a field to its text: ${type}, ${code}, ${name} (the code, or the
	// type where there is none), ${message}, ${param}. One that comes out empty is
	// left out.
	Fields map[string]string `yaml:"fields"`
	Types  []ErrorType       `yaml:"types"`
}

// ErrorType gives an error answer its ${type}; the first that fits counts.
type ErrorType struct {
	Status int `yaml:"status"`
	// From is the lowest status that fits.
	From int    `yaml:"from"`
	Code string `yaml:"code"`
	Type string `yaml:"type"`
	// Bare: the type tells it all, no ${code} is written.
	Bare bool `yaml:"bare"`
}

// Answers says what answers are written in.
type Answers struct {
	Source string `yaml:"source"`
	// Format is json (also where it is empty) or xml. A field's first step is then the
	// root element.
	Format string `yaml:"format"`
	// Namespace is the root element's xmlns.
	Namespace string `yaml:"namespace"`
	// ListItem names the element of which a list is made. Elements that stand side by
	// side under one name are a list anyhow.
	ListItem string `yaml:"list_item"`
}

// Lookup is what a read can tell.
type Lookup struct {
	Source string `yaml:"source"`
	// By lists business_key, key, reference and id.
	By []string `yaml:"by"`
	// Lag is how far a read may be behind a write, MaxInFlight how long after an
	// attempt its effect may still appear; durations like 2s.
	Lag           string `yaml:"lag"`
	MaxInFlight   string `yaml:"max_in_flight"`
	Authoritative bool   `yaml:"authoritative"`
}

// Operation is one call of the API.
type Operation struct {
	Source string `yaml:"source"`
	Method string `yaml:"method"`
	// Path may hold ${id} and ${OP.id} (see Form) as whole segments.
	Path    string `yaml:"path"`
	Changes bool   `yaml:"changes"`
	// Part is what this step makes of an effect of several parts; Makes lists the
	// parts where one request commits more than one.
	Part  string   `yaml:"part"`
	Makes []string `yaml:"makes"`
	// FoundBy is the look-up that shows what this step made; empty is find.
	FoundBy string `yaml:"found_by"`
	// Undoes is the step whose object this operation takes back. Leaves are the
	// fields that the object then has; without them it is gone.
	Undoes string            `yaml:"undoes"`
	Leaves map[string]string `yaml:"leaves"`
	// Form, JSON, XML and Query map a field to ${arguments.NAME}, ${action_id},
	// ${business_key}, ${key}, ${OP.id} (the ID that an earlier step returned) or a
	// constant. One that comes out empty is left out. An XML field's first step is
	// the root element. A query's variable may stand in a text, as in
	// "external_id:${action_id}".
	Form  map[string]string `yaml:"form"`
	JSON  map[string]string `yaml:"json"`
	XML   map[string]string `yaml:"xml"`
	Query map[string]string `yaml:"query"`
	// Body is the JSON request's field that holds all of it; empty is the request
	// itself. What stands in JSON and Accepts is below it.
	Body string `yaml:"body"`
	// BusinessKey lists the request's fields that may hold the business key.
	BusinessKey []string `yaml:"business_key"`
	// Status of an answer that succeeds; zero is 200.
	Status int `yaml:"status"`
	// Object is the answer's field that holds the object; empty is the answer itself.
	Object string `yaml:"object"`
	// Shows maps a field of the request to the object's field that tells it, where the
	// two are not called the same. With it, an object tells nothing else.
	Shows map[string]string `yaml:"shows"`
	// Async: the answer comes before the work is done.
	Async *Async `yaml:"async"`
	// Items is the answer's list, like data, or orders[].lines where every order has
	// some; without one the answer is one object.
	Items string `yaml:"items"`
	// ID is the object's field that holds its ID.
	ID string `yaml:"id"`
	// IDs is server or client: who chooses the ID. A client's is the action ID, in
	// the path.
	IDs string `yaml:"ids"`
	// Unique is business_key where a second effect under one is refused with Exists.
	Unique string  `yaml:"unique"`
	Exists Refusal `yaml:"exists"`
	Paging *Paging `yaml:"paging"`
	// Accepts lists every lawful parameter; without it all are.
	Accepts    map[string]Parameter `yaml:"accepts"`
	ExactlyOne []string             `yaml:"exactly_one"`
}

// Async says how an object tells that work on it goes on. Once it is accepted it is
// an effect: the target goes on without the client.
type Async struct {
	// Field holds Pending until After has passed on the world's clock, then Done.
	Field   string `yaml:"field"`
	Pending string `yaml:"pending"`
	Done    string `yaml:"done"`
	// Failed is what it holds where the work failed; empty is failed.
	Failed string `yaml:"failed"`
	After  string `yaml:"after"`
}

// Paging says how the pages of a list are walked.
type Paging struct {
	// Size is the parameter that asks for Page objects.
	Size string `yaml:"size"`
	Page int    `yaml:"page"`
	// Cursor is the parameter that takes the last object's ID; Number is the one
	// that takes the page's number, from 1. One of them is given.
	Cursor string `yaml:"cursor"`
	Number string `yaml:"number"`
	// More is the answer's field that says whether another page follows.
	More string `yaml:"more"`
}

// Parameter is what an operation accepts under one name.
type Parameter struct {
	// Type is string, integer, boolean, map, list, or object for any JSON value.
	Type     string `yaml:"type"`
	Required bool   `yaml:"required"`
	// Prefix is how an ID begins.
	Prefix string   `yaml:"prefix"`
	OneOf  []string `yaml:"one_of"`
	// Min and Max bound an integer; Max bounds the characters of a string and of a
	// map's values.
	Min int64 `yaml:"min"`
	Max int64 `yaml:"max"`
	// MaxKeys and MaxKey bound a map's keys and their characters.
	MaxKeys int `yaml:"max_keys"`
	MaxKey  int `yaml:"max_key"`
	// Set: a list whose order means nothing. Two orders are one argument with one
	// digest, and are sent as one request.
	Set bool `yaml:"set"`
	// Units: an amount of whole minor units, which people also spell in the currency's
	// units. Both are one argument.
	Units *Units `yaml:"units"`
}

// Units say how an amount may be spelled.
type Units struct {
	// Currency is the parameter that names the currency.
	Currency string `yaml:"currency"`
	// Digits is how many decimal digits a minor unit has, by currency.
	Digits map[string]int `yaml:"digits"`
}

// Domain tells the fake which world to keep: refunds in Stripe's shape, or records,
// which are whatever the create operation carries, or a zone of DNS.
type Domain struct {
	Domain   string `yaml:"domain"`
	IDPrefix string `yaml:"id_prefix"`
	// IDPrefixes are those of single operations.
	IDPrefixes map[string]string `yaml:"id_prefixes"`
	IDLength   int               `yaml:"id_length"`
	// Total is what may be spent under one business key.
	Total int64 `yaml:"total"`
	// Zone is the DNS zone of a domain zone.
	Zone string `yaml:"zone"`
}

// Example is the default action at this target.
type Example struct {
	Effect      string         `yaml:"effect"`
	BusinessKey string         `yaml:"business_key"`
	Arguments   map[string]any `yaml:"arguments"`
	Changed     map[string]any `yaml:"changed"`
	// Whole is what uses up all there is, so that the target refuses a second one.
	Whole map[string]any `yaml:"whole"`
}
