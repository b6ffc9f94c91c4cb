package worker

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/retrydrill/drill/harness"
)

// The environment variables of the worker protocol.
const (
	EnvProtocol       = "DRILL_PROTOCOL"
	EnvTargetURL      = "DRILL_TARGET_URL"
	EnvTargetToken    = "DRILL_TARGET_TOKEN"
	EnvStateDir       = "DRILL_STATE_DIR"
	EnvWorker         = "DRILL_WORKER"
	EnvDelivery       = "DRILL_DELIVERY"
	EnvClientDeadline = "DRILL_CLIENT_DEADLINE_MS"
	EnvLease          = "DRILL_LEASE_MS"
	EnvKeyRetention   = "DRILL_KEY_RETENTION_MS"
	EnvPolicyVersion  = "DRILL_POLICY_VERSION"
	// EnvProfile and EnvBuiltin are set for built-in executors alone.
	EnvProfile = "DRILL_PROFILE"
	EnvBuiltin = "DRILL_BUILTIN"
	// EnvReceipts gives a built-in executor [Env.Receipts].
	EnvReceipts = "DRILL_RECEIPTS"
	// EnvPolicy holds the retry policy that a built-in executor follows.
	EnvPolicy = "DRILL_POLICY"
	// EnvSeed gives a built-in executor its source of randomness.
	EnvSeed = "DRILL_SEED"
)

// envFrom reads the worker protocol's environment.
func envFrom(get func(string) string) Env {
	ms := func(k string) time.Duration {
		n, _ := strconv.ParseInt(get(k), 10, 64)
		return time.Duration(n) * time.Millisecond
	}
	slot, _ := strconv.Atoi(get(EnvWorker))
	seed, _ := strconv.ParseUint(get(EnvSeed), 10, 64)
	return Env{
		TargetURL:      get(EnvTargetURL),
		Token:          get(EnvTargetToken),
		StateDir:       get(EnvStateDir),
		Receipts:       get(EnvReceipts),
		Worker:         slot,
		ClientDeadline: ms(EnvClientDeadline),
		Lease:          ms(EnvLease),
		KeyRetention:   ms(EnvKeyRetention),
		PolicyVersion:  get(EnvPolicyVersion),
		Policy:         get(EnvPolicy),
		Profile:        get(EnvProfile),
		Records:        recordsFrom(get),
		HTTP:           &http.Client{Transport: &http.Transport{}},
		Dial:           (&net.Dialer{}).DialContext,
		Clock:          harness.SystemClock{},
		Seed:           seed,
		Log:            slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
}

// environ is what the worker protocol puts into the environment of one delivery.
func (h Handover) environ() []string {
	out := h.surroundings()
	if h.Env.Records != nil {
		out = append(out, recordsEnviron())
	}
	if !h.Blind {
		out = append(out, EnvWorker+"="+strconv.Itoa(h.Env.Worker), EnvDelivery+"="+strconv.Itoa(h.Delivery))
	}
	return out
}

// surroundings are the same for all deliveries to a worker.
func (h Handover) surroundings() []string {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return []string{
		EnvProtocol + "=" + strconv.Itoa(Protocol),
		EnvTargetURL + "=" + h.Env.TargetURL,
		EnvTargetToken + "=" + h.Env.Token,
		EnvStateDir + "=" + h.Env.StateDir,
		EnvClientDeadline + "=" + ms(h.Env.ClientDeadline),
		EnvLease + "=" + ms(h.Env.Lease),
		EnvKeyRetention + "=" + ms(h.Env.KeyRetention),
		EnvPolicyVersion + "=" + h.Env.PolicyVersion,
	}
}
