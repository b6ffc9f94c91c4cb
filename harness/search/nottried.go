package search

// NotTried are the words that a search leaves out, each with the reason.
var NotTried = map[string]string{
	"deliver times":   "a root of the search: two workers at once",
	"deliver at":      "a root of the search: a second worker at each boundary",
	"deliver after":   "time alone changes what the target forgets: a setting of the target",
	"deliver no-name": "to the client the same as down: never dispatched",
	"deliver no-tls":  "to the client the same as down: never dispatched",
	"request reset":   "to the client and the target the same as request close on a fresh connection",
	"request hang":    "the same as request delay past the deadline, where nothing arrives",
	"request cut":     "a torn request has no effect, as request close",
	"request hold":    "a root of the search: the other worker runs meanwhile",
	"target swallow":  "a target that breaks its own promise",
	"target hold":     "a root of the search: the other worker runs meanwhile",
	"response hang":   "the same as response delay past the deadline, where nothing arrives",
	"response hold":   "a root of the search: the other worker runs meanwhile",
	"record hold":     "a root of the search: the other worker runs meanwhile",
	"lease expire":    "needs a queue that drill serves",
	"lease lose":      "needs a queue that drill serves",
	"lease refuse":    "needs a queue that drill serves",
	"lease late":      "needs a queue that drill serves",
	"ack expire":      "the same as report lose, and another worker gets it",
	"ack lose":        "the same as report lose, for all that a delivery brought",
	"ack refuse":      "needs a queue that drill serves",
	"ack late":        "the same as report lose, where one more hand-over is the last",
}
