// Package lint says what is unsafe in a retry policy by inspection: without a run,
// from the document and, where one is named, from what a target promises.
//
// It reads drill's own policy and what teams already have ([Formats]). Each is
// translated to one common form, [Policy]: what is repeated, on which evidence, how
// often, for how long, how far apart. The same [Rules] judge them all. A rule is a
// pure function in a file of its own.
package lint
