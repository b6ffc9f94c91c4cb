package lint

import (
	"strconv"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// grpcCode is a status of gRPC and what it says about the effect.
type grpcCode struct {
	name  string
	class harness.Class
}

// grpcCodes is the table of https://grpc.github.io/grpc/core/md_doc_statuscodes.html,
// by number. UNAVAILABLE comes after a commit, too: there is "not a guarantee that
// the server has not seen anything" (grpc/status.h). ABORTED is to be tried again "at a higher level", with
// what has been read anew: the same request stays refused.
var grpcCodes = []grpcCode{
	{"OK", harness.Confirmed},
	{"CANCELLED", harness.Unknown},
	{"UNKNOWN", harness.Unknown},
	{"INVALID_ARGUMENT", harness.RejectedPermanent},
	{"DEADLINE_EXCEEDED", harness.Unknown},
	{"NOT_FOUND", harness.RejectedPermanent},
	{"ALREADY_EXISTS", harness.RejectedPermanent},
	{"PERMISSION_DENIED", harness.RejectedPermanent},
	{"RESOURCE_EXHAUSTED", harness.RejectedTransient},
	{"FAILED_PRECONDITION", harness.RejectedPermanent},
	{"ABORTED", harness.RejectedPermanent},
	{"OUT_OF_RANGE", harness.RejectedPermanent},
	{"UNIMPLEMENTED", harness.RejectedPermanent},
	{"INTERNAL", harness.Unknown},
	{"UNAVAILABLE", harness.Unknown},
	{"DATA_LOSS", harness.Unknown},
	{"UNAUTHENTICATED", harness.RejectedPermanent},
}

// findGRPC takes a number, or a name in any case.
func findGRPC(s string) (grpcCode, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		if n < 0 || n >= len(grpcCodes) {
			return grpcCode{}, false
		}
		return grpcCodes[n], true
	}
	name := strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
	for _, c := range grpcCodes {
		if c.name == name {
			return c, true
		}
	}
	return grpcCode{}, false
}
