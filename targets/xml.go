package targets

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// maxDepth bounds how deep elements may stand in each other.
const maxDepth = 64

// errXML is returned for what is no XML document of elements and text.
var errXML = errors.New("no XML document")

// element is one element while it is read.
type element struct {
	name   string
	text   strings.Builder
	values map[string][]any
}

// value is the element as JSON: text, an object of its children, or a list where all
// are list items. Attributes and namespaces are left out.
func (e *element) value(listItem string) any {
	if len(e.values) == 0 {
		return strings.TrimSpace(e.text.String())
	}
	if items, ok := e.values[listItem]; ok && len(e.values) == 1 && listItem != "" {
		return items
	}
	out := make(map[string]any, len(e.values))
	for name, all := range e.values {
		if out[name] = any(all); len(all) == 1 {
			out[name] = all[0]
		}
	}
	return out
}

// readXML turns an XML document into JSON with one member, the root element. Every
// value is a text; elements side by side under one name are a list, and so are the
// children of an element that has list items alone.
func readXML(b []byte, listItem string) ([]byte, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	top := &element{values: map[string][]any{}}
	open := []*element{top}
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errXML, err)
		}
		here := open[len(open)-1]
		switch x := t.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, fmt.Errorf("%w: elements stand more than %d deep", errXML, maxDepth)
			}
			open = append(open, &element{name: x.Name.Local, values: map[string][]any{}})
		case xml.EndElement:
			open = open[:len(open)-1]
			above := open[len(open)-1]
			above.values[here.name] = append(above.values[here.name], here.value(listItem))
		case xml.CharData:
			here.text.Write(x)
		}
	}
	switch {
	case len(open) != 1, len(top.values) != 1, strings.TrimSpace(top.text.String()) != "":
		return nil, fmt.Errorf("%w: one root element is expected", errXML)
	}
	for _, all := range top.values {
		if len(all) != 1 {
			return nil, fmt.Errorf("%w: %d root elements", errXML, len(all))
		}
	}
	return json.Marshal(map[string]any{slices.Collect(maps.Keys(top.values))[0]: slices.Collect(maps.Values(top.values))[0][0]})
}

// writeXML turns a JSON object with one member into an XML document with that root.
// Members are sorted; a list is written as list items, or as elements of its name
// where there are none.
func writeXML(b []byte, namespace, listItem string) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("xml: %w", err)
	}
	if len(doc) != 1 {
		return nil, fmt.Errorf("xml: a document has one root element, not %d", len(doc))
	}
	w := xmlWriter{listItem: listItem}
	w.WriteString(xml.Header)
	for root, v := range doc {
		w.element(root, namespace, v)
	}
	return w.Bytes(), nil
}

type xmlWriter struct {
	bytes.Buffer
	listItem string
}

func (w *xmlWriter) element(name, namespace string, v any) {
	if list, ok := v.([]any); ok && (w.listItem == "" || namespace != "") {
		for _, item := range list {
			w.element(name, "", item)
		}
		return
	}
	name = xmlName(name)
	w.WriteString("<" + name)
	if namespace != "" {
		w.WriteString(` xmlns="`)
		_ = xml.EscapeText(w, []byte(namespace))
		w.WriteByte('"')
	}
	w.WriteByte('>')
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			w.element(key, "", x[key])
		}
	case []any:
		for _, item := range x {
			w.element(w.listItem, "", item)
		}
	case nil:
	case string:
		_ = xml.EscapeText(w, []byte(x))
	default:
		_ = xml.EscapeText(w, []byte(fmt.Sprint(x)))
	}
	w.WriteString("</" + name + ">")
}

// xmlName makes a name of what may be none: what can not stand in it becomes _.
func xmlName(s string) string {
	out := []rune(s)
	for i, r := range out {
		if !(r == '_' || unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || r == '-' || r == '.')) {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "_"
	}
	return string(out)
}

// ContentType is that of the profile's answers.
func (p *Profile) ContentType() string {
	if p.isXML() {
		return "text/xml;charset=UTF-8"
	}
	return "application/json"
}

func (p *Profile) isXML() bool { return p.Answers.Format == "xml" }

// Wire writes an answer, given as JSON, in the profile's format.
func (p *Profile) Wire(b []byte) []byte {
	if !p.isXML() || len(b) == 0 {
		return b
	}
	out, err := writeXML(b, p.Answers.Namespace, p.Answers.ListItem)
	if err != nil {
		// An answer of a profile that gives it no root: told when its fields are read.
		return b
	}
	return out
}

// unwire is the other way; not ok: the body is not of that format.
func (p *Profile) unwire(b []byte) ([]byte, bool) {
	if !p.isXML() {
		return b, json.Valid(b)
	}
	out, err := readXML(b, p.Answers.ListItem)
	return out, err == nil
}

// ReadXML turns a request's XML body into JSON with one member, the root element.
func (p *Profile) ReadXML(b []byte) ([]byte, error) { return readXML(b, p.Answers.ListItem) }
