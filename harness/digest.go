package harness

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/retrydrill/drill/internal/memo"
)

const digestPrefix = "sha256:"

// Digest returns "sha256:" and the hex digest of b.
func Digest(b []byte) string {
	switch {
	case len(b) == 0:
		return ofNothing
	case len(b) > longestKept:
		return digest(b)
	}
	place := digests.At(memo.Hash(b))
	for i := range place {
		if d := place[i].Load(); d != nil && d.of == string(b) {
			return d.is
		}
	}
	d := &digested{string(b), digest(b)}
	place.Keep(d)
	return d.is
}

// ofNothing is the digest that requests without a body have.
var ofNothing = digest(nil)

func digest(b []byte) string {
	h := sha256.Sum256(b)
	var out [len(digestPrefix) + 2*sha256.Size]byte
	hex.Encode(out[copy(out[:], digestPrefix):], h[:])
	return string(out[:])
}

// Digests of short texts are kept: the arguments, bodies and answers of one action are
// digested at each step of each trial, and a search carries thousands of trials out
// with the same few actions. What is kept is bounded: about 1 MiB.
var digests memo.Table[digested]

// longestKept is in bytes.
const longestKept = 1 << 10

type digested struct{ of, is string }
