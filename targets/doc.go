// Package targets holds what is known about the APIs that an executor changes.
//
// A [Profile] is one YAML document: what the API promises about a repeated
// request, how its requests and answers are read, and which answers mean what.
// Three parts are served by it: a fake that impersonates it (package fakes), the
// tap's [harness.Namer], and the [Client] with which an executor acts on any profile.
//
// Start with [Builtin] or [Load]. document.go is what may be written, check.go what a
// schema can not say of it, compile.go makes it ready. Then a request is built
// (request.go, form.go), sent (client.go, sending.go) and read again (namer.go), and its
// answer is read (answers.go).
package targets
