//go:build !linux && !darwin

package port

import "errors"

// Hold keeps nothing on this system.
func Hold() (*Held, error) {
	return nil, errors.New("port: on this system none can be kept")
}

// Close does nothing.
func (*Held) Close() error { return nil }
