// Package lossy is a target for this module's tests: it makes refunds as Stripe
// does, and loses the answer of the first one.
package lossy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/retrydrill/drill/testdata/workers/go/protocol"
)

// Target counts what reached it.
type Target struct {
	URL string

	mu      sync.Mutex
	keys    []string
	refunds []string
	kept    map[string]string
}

// New starts a target that ends with the test.
func New(t *testing.T) *Target {
	x := &Target{kept: map[string]string{}}
	s := httptest.NewServer(x)
	t.Cleanup(s.Close)
	x.URL = s.URL
	return x
}

// Env is what a worker at this target is given.
func (x *Target) Env() protocol.Env {
	return protocol.Env{TargetURL: x.URL, Token: "token", ClientDeadline: 5 * time.Second}
}

// Requests are the keys of the refunds asked for, in order, empty where none came.
func (x *Target) Requests() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.keys...)
}

// Refunds are the refunds made.
func (x *Target) Refunds() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.refunds...)
}

// ServeHTTP implements http.Handler.
func (x *Target) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(`{"object": "list", "data": [], "has_more": false}`))
		return
	}
	if err := r.ParseForm(); err != nil || r.PostForm.Get("metadata[action_id]") == "" {
		http.Error(w, `{"error": {}}`, http.StatusBadRequest)
		return
	}
	x.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	x.keys = append(x.keys, key)
	first := len(x.keys) == 1
	id := x.kept[key]
	if id == "" {
		id = fmt.Sprintf("re_%d", len(x.refunds)+1)
		x.refunds = append(x.refunds, id)
	}
	if key != "" {
		x.kept[key] = id
	}
	x.mu.Unlock()
	if first {
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id, "object": "refund"})
}

// Action is a refund to make.
func Action() protocol.Action {
	a := protocol.Action{ID: "action"}
	a.Arguments.Charge, a.Arguments.Amount = "ch_1", 1099
	return a
}
