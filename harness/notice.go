package harness

// Notice is what a target tells by itself once it committed something (a webhook),
// beside the answer to the request.
type Notice struct {
	// ID is the notice's own; the same one told twice has one ID.
	ID string `json:"id"`
	// Type is the provider's name for it, like payment.succeeded.
	Type string `json:"type"`
	// Op is the operation that committed, Resource what it made or took back.
	Op       string `json:"op"`
	Resource string `json:"resource"`
	// BusinessKey and Reference are the object's.
	BusinessKey string `json:"business_key,omitempty"`
	Reference   string `json:"reference,omitempty"`
	// Attempt is the tap's number of the request, 0 where none came through a tap.
	Attempt int `json:"attempt,omitempty"`
	// Foreign: it tells of a stranger's effect.
	Foreign bool `json:"foreign,omitempty"`
}
