package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// target reads --settings, and puts --set over it.
func (s *serveFlags) target() (harness.Settings, error) {
	var out harness.Settings
	if s.settings != "" {
		b, err := os.ReadFile(s.settings)
		if err != nil {
			return out, fmt.Errorf("--settings: %w", err)
		}
		if _, err := located.Decode(s.settings, b, &out); err != nil {
			return out, err
		}
	}
	for _, one := range s.set {
		key, value, ok := strings.Cut(one, "=")
		if !ok || key == "" || strings.ContainsAny(one, "\r\n") {
			return out, fmt.Errorf("--set %q: expected KEY=VALUE, like stale-read=2s", one)
		}
		if _, err := located.Decode("--set", []byte(key+": "+value), &out); err != nil {
			return out, err
		}
	}
	if err := out.Validate(); err != nil {
		return out, fmt.Errorf("settings: %w", err)
	}
	return out, nil
}
