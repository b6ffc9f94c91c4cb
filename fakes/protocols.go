package fakes

import (
	"github.com/retrydrill/drill/fakes/dns"
	"github.com/retrydrill/drill/fakes/smtp"
	"github.com/retrydrill/drill/harness/tap"
)

// protocols are what a fake can be spoken to beside HTTP, by the names that profiles
// use.
var protocols = map[string]func() *tap.Protocol{
	"smtp": smtp.Protocol,
	"dns":  dns.Protocol,
}

// protocolOf returns what a profile's protocol is spoken with, or nil for HTTP.
func protocolOf(name string) *tap.Protocol {
	if p, ok := protocols[name]; ok {
		return p()
	}
	return nil
}
