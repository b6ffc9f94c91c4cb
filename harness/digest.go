package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"sync/atomic"
)

const digestPrefix = "sha256:"

// Digest returns "sha256:" and the hex digest of b.
func Digest(b []byte) string {
	if len(b) > longestKept {
		return digest(b)
	}
	slot := &digests[maphash.Bytes(digestSeed, b)%uint64(len(digests))]
	if d := slot.Load(); d != nil && d.of == string(b) {
		return d.is
	}
	d := &digested{string(b), digest(b)}
	slot.Store(d)
	return d.is
}

func digest(b []byte) string {
	h := sha256.Sum256(b)
	var out [len(digestPrefix) + 2*sha256.Size]byte
	hex.Encode(out[copy(out[:], digestPrefix):], h[:])
	return string(out[:])
}

// Digests of short texts are kept: the arguments, bodies and answers of one action are
// digested at each step of each trial, and a search carries thousands of trials out
// with the same few actions. Each slot holds the last text that fell into it, so that
// what is kept is bounded (about 1 MiB) and may be asked for by several at once.
var (
	digests    [1 << 10]atomic.Pointer[digested]
	digestSeed = maphash.MakeSeed()
)

// longestKept is in bytes.
const longestKept = 1 << 10

type digested struct{ of, is string }
