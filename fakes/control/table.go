package control

import (
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table is an answer for a person.
type table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// accepts is the form that the caller likes best: application/json, text/plain or
// text/html; JSON where it says nothing of them (RFC 9110 section 12.5.1).
func accepts(r *http.Request) string {
	const other = "application/json"
	best, weight := other, 0.0
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		form, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			q = 1
		}
		if q <= weight {
			continue
		}
		switch form {
		case other, "text/plain", "text/html":
			best, weight = form, q
		case "*/*":
			best, weight = other, q
		}
	}
	return best
}

// show answers with the table where the caller wants one, else with v.
func show(w http.ResponseWriter, r *http.Request, t table, v any) {
	w.Header().Set("Vary", "Accept")
	switch accepts(r) {
	case "text/html":
		t.html(w)
	case "text/plain":
		t.text(w)
	default:
		answer(w, http.StatusOK, v)
	}
}

func (t table) text(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, t.Title)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		if line := strings.Join(row, "\t"); strings.TrimSpace(line) != "" {
			fmt.Fprintln(tab, printable(line))
		}
	}
	_ = tab.Flush()
}

// printable leaves no control characters in what a terminal is to show; tabs part the
// cells.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return '.'
		}
		return r
	}, line)
}

var page = template.Must(template.New("table").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>body{font-family:system-ui,sans-serif;margin:2em}table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.3em .8em;text-align:left;font-family:ui-monospace,monospace}</style>
</head><body><h1>{{.Title}}</h1><table><thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></body></html>
`))

func (t table) html(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_ = page.Execute(io.Writer(w), t)
}
