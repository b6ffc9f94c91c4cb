// Package targets holds what is known about the APIs that an executor changes.
//
// A [Profile] is one YAML document: what the API promises about a repeated
// request, how its requests and answers are read, and which answers mean what.
// Four parts are served by it: a fake that impersonates it (package fakes), the
// tap's [harness.Namer], the [Client] with which an executor acts on any profile,
// and whoever holds the real API to it.
//
// Start with [Builtin] or [Load].
package targets
