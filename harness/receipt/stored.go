package receipt

import (
	"encoding/json"
	"fmt"
)

// Encode is how a store keeps a receipt: JSON, whole.
func Encode(r Receipt) ([]byte, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.ActionID, err)
	}
	return b, nil
}

// Decode reads what [Encode] wrote and holds the arguments against their digest.
// What does not fit is [ErrDamaged].
func Decode(b []byte) (r Receipt, err error) {
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if d := r.Arguments.Digest(); d != r.Digest {
		return r, fmt.Errorf("%w: arguments of %s have digest %s, expected %s", ErrDamaged, r.ActionID, d, r.Digest)
	}
	return r, nil
}
