package lint

import (
	"strings"

	"github.com/retrydrill/drill/internal/located"
)

// Format is one kind of document that says what is repeated.
type Format struct {
	ID  string
	Doc string
	// Source is the page that defines the fields and their defaults.
	Source string
	// is tells from the content whether a document is of this kind.
	is func(content) bool
	// read translates a document. Its errors are *located.Error.
	read func(*document, content) ([]Policy, error)
}

// Formats lists every format that is read, in the order in which they are tried.
var Formats = []Format{
	drillFormat,
	nginxFormat,
	awsFormat,
	grpcFormat,
	istioFormat,
	envoyFormat,
	retryablehttpFormat,
	axiosFormat,
	temporalFormat,
}

// content is a text and, if it is YAML or JSON, its trees.
type content struct {
	text  []byte
	trees []*node
}

// has reports whether a mapping anywhere has one of the keys, in any spelling.
func (c content) has(keys ...string) bool {
	found := false
	for _, tree := range c.trees {
		walk(tree, nil, func(_ []string, n *node) {
			for _, k := range keys {
				found = found || n.key(k) != nil
			}
		})
	}
	return found
}

// root reports whether the one document has one of the keys at its root.
func (c content) root(keys ...string) bool {
	if len(c.trees) != 1 {
		return false
	}
	for _, k := range keys {
		if c.trees[0].key(k) != nil {
			return true
		}
	}
	return false
}

// FormatIDs lists the formats' IDs.
func FormatIDs() string {
	ids := make([]string, len(Formats))
	for i, f := range Formats {
		ids[i] = f.ID
	}
	return strings.Join(ids, ", ")
}

// Read translates a document into the common form. as names its format; empty finds
// it out from the content. An error about the document is a *located.Error.
func Read(name string, b []byte, as string) (Format, []Policy, error) {
	d := newDocument(name, b)
	if len(b) > maxBytes {
		return Format{}, nil, d.errorf(Place{}, "the file has %d bytes: expected at most %d", len(b), maxBytes)
	}
	if err := located.Text(name, b); err != nil {
		return Format{}, nil, err
	}
	c, broken := content{text: b}, error(nil)
	if !c.plain(as) {
		c.trees, broken = d.trees(b)
	}
	f, err := choose(d, c, as, broken)
	if err != nil {
		return Format{}, nil, err
	}
	if broken != nil && !f.plain() {
		return f, nil, broken
	}
	policies, err := f.read(d, c)
	if err == nil && len(policies) == 0 {
		err = d.errorf(Place{}, "nothing here says what is repeated, as %s reads it (%s)", f.ID, f.Source)
	}
	return f, policies, err
}

// Known returns the format that a document is of by its content, if that tells.
func Known(b []byte) (f Format, known bool) {
	f, _, _ = Read("", b, "")
	return f, f.ID != ""
}

func choose(d *document, c content, as string, broken error) (Format, error) {
	for _, f := range Formats {
		if as == f.ID || as == "" && f.is(c) {
			return f, nil
		}
	}
	switch {
	case as != "":
		return Format{}, d.errorf(Place{}, "there is no format %q: expected one of %s", as, FormatIDs())
	case broken != nil:
		return Format{}, broken
	}
	return Format{}, d.errorf(Place{}, "the format is not known from the content: name it with --as, one of %s", FormatIDs())
}

// plain: the format is neither YAML nor JSON.
func (f Format) plain() bool { return f.ID == nginxFormat.ID || f.ID == awsFormat.ID }

// plain reports whether the text is of such a format, by its name or by its looks.
func (c content) plain(as string) bool {
	for _, f := range []Format{nginxFormat, awsFormat} {
		if as == f.ID || as == "" && f.is(c) {
			return true
		}
	}
	return false
}
