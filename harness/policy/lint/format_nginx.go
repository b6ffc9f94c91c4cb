package lint

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

var nginxFormat = Format{
	ID:     "nginx",
	Doc:    "nginx's proxy_next_upstream, and those of fastcgi, uwsgi, scgi, memcached and grpc",
	Source: "https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_next_upstream",
	is:     func(c content) bool { return nginxLine.Match(c.text) },
	read:   readNginx,
}

var (
	nginxLine      = regexp.MustCompile(`(?m)(?:^|[;{])\s*(?:proxy|fastcgi|uwsgi|scgi|memcached|grpc)_next_upstream(?:_tries|_timeout)?\s`)
	nginxDirective = regexp.MustCompile(`^(proxy|fastcgi|uwsgi|scgi|memcached|grpc)_next_upstream(_tries|_timeout|)$`)
)

// nginxWords are the conditions, and what they stand for. A connection that fails
// before the request was sent is part of error and timeout, too.
var nginxWords = map[string]Repeat{
	"error":          {Mishaps: []string{"refused", "reset_before_answer", "reset_in_answer"}},
	"timeout":        {Mishaps: []string{"connect_timeout", "timeout"}},
	"denied":         {Mishaps: []string{"refused"}},
	"invalid_header": {Mishaps: []string{"reset_in_answer"}},
	"http_500":       {Statuses: []int{500}},
	"http_502":       {Statuses: []int{502}},
	"http_503":       {Statuses: []int{503}},
	"http_504":       {Statuses: []int{504}},
	"http_403":       {Statuses: []int{403}},
	"http_404":       {Statuses: []int{404}},
	"http_429":       {Statuses: []int{429}},
	"non_idempotent": {},
	"off":            {},
}

// nginxBlock is what holds in one block: its own directives over the outer ones.
type nginxBlock struct {
	name   string
	values map[string][]word
	own    bool
}

type word struct {
	text string
	Place
}

// nginxModules are those that pass a request on.
var nginxModules = []string{"proxy", "fastcgi", "uwsgi", "scgi", "memcached", "grpc"}

// nginxReader reads blocks, the innermost last, and what they repeat.
type nginxReader struct {
	d     *document
	stack []nginxBlock
	// line is the directive so far.
	line []word
	out  []Policy
}

func readNginx(d *document, c content) ([]Policy, error) {
	words, err := nginxTokens(d, string(c.text))
	if err != nil {
		return nil, err
	}
	r := &nginxReader{d: d, stack: []nginxBlock{{name: "the file", values: map[string][]word{}}}}
	for _, w := range words {
		if err := r.next(w); err != nil {
			return nil, err
		}
	}
	if err := r.complete(); err != nil {
		return nil, err
	}
	if len(r.stack) > 1 {
		return nil, d.errorf(Place{}, "the block %q does not end", r.stack[len(r.stack)-1].name)
	}
	return r.out, r.end()
}

func (r *nginxReader) next(w word) error {
	switch w.text {
	case "{":
		return r.begin(w)
	case "}":
		if err := r.complete(); err != nil {
			return err
		}
		if len(r.stack) == 1 {
			return r.d.errorf(w.Place, "a block ends here that did not begin")
		}
		return r.end()
	case ";":
		if len(r.line) > 0 && nginxDirective.MatchString(r.line[0].text) {
			top := &r.stack[len(r.stack)-1]
			top.values[r.line[0].text], top.own = r.line, true
		}
		r.line = nil
	default:
		r.line = append(r.line, w)
	}
	return nil
}

// complete wants no directive that goes on.
func (r *nginxReader) complete() error {
	if len(r.line) == 0 {
		return nil
	}
	return r.d.errorf(r.line[0].Place, "the directive %s does not end with a semicolon", r.line[0].text)
}

// begin begins a block, in which what holds outside holds too.
func (r *nginxReader) begin(w word) error {
	if len(r.stack) > maxDepth {
		return r.d.errorf(w.Place, "blocks are too deep")
	}
	outer := r.stack[len(r.stack)-1].values
	r.stack = append(r.stack, nginxBlock{name: joined(r.line), values: maps.Clone(outer)})
	r.line = nil
	return nil
}

// end ends a block: one with directives of its own says what its modules repeat.
func (r *nginxReader) end() error {
	b := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	if !b.own {
		return nil
	}
	for _, module := range nginxModules {
		p, ok, err := b.policy(r.d, module)
		if err != nil {
			return err
		}
		if ok {
			r.out = append(r.out, p)
		}
	}
	return nil
}

// policy is what a module repeats in this block. Methods that are not idempotent are
// passed on only with non_idempotent, or before the request was sent.
func (b nginxBlock) policy(d *document, module string) (Policy, bool, error) {
	on, tries, limit := b.values[module+"_next_upstream"], b.values[module+"_next_upstream_tries"], b.values[module+"_next_upstream_timeout"]
	if on == nil && tries == nil && limit == nil {
		return Policy{}, false, nil
	}
	first := slices.Concat(on, tries, limit)[0]
	// A request goes to each server of the upstream once: their number bounds it.
	p := Policy{Name: b.name, Place: first.Place, Bounded: true, AttemptsAt: first.Place, BudgetAt: first.Place}
	if on == nil {
		on = []word{first, {"error", first.Place}, {"timeout", first.Place}}
	}
	if len(on) < 2 {
		return p, false, d.errorf(on[0].Place, "%s has no condition", on[0].text)
	}
	writes := slices.ContainsFunc(on, func(w word) bool { return w.text == "non_idempotent" })
	off := slices.ContainsFunc(on, func(w word) bool { return w.text == "off" })
	for _, w := range on[1:] {
		r, ok := nginxWords[w.text]
		if !ok {
			return p, false, d.errorf(w.Place, "%s has no condition %q", on[0].text, w.text)
		}
		if len(r.Mishaps)+len(r.Statuses) > 0 && !off {
			r.What, r.Place, r.OnlyIdempotent = w.text, w.Place, !writes
			p.Repeats = append(p.Repeats, r)
		}
	}
	if tries != nil {
		n, ok := duration(joined(tries[1:]), 1)
		if !ok || n > 1_000_000 {
			return p, false, d.errorf(tries[0].Place, "%s is %q: expected a whole number", tries[0].text, joined(tries[1:]))
		}
		p.Attempts = int(n)
	}
	if limit != nil {
		s := joined(limit[1:])
		n, ok := duration(s, time.Second)
		if !ok {
			return p, false, d.errorf(limit[0].Place, "%s: %q is no time", limit[0].text, s)
		}
		p.Budget, p.BudgetAt = n, limit[0].Place
	}
	return p, true, nil
}

func joined(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// nginxTokens splits a configuration into words, braces and semicolons.
func nginxTokens(d *document, s string) ([]word, error) {
	var out []word
	line, start := 1, 0
	for i := 0; i < len(s); {
		at := Place{line, i - start + 1}
		switch c := s[i]; {
		case c == '\n':
			line, start = line+1, i+1
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == ';' || c == '{' || c == '}':
			out = append(out, word{string(c), at})
			i++
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(s) && s[end] != c {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) {
				return nil, d.errorf(at, "a quote begins here and does not end")
			}
			// A quoted brace or semicolon is text: it keeps its quote.
			out = append(out, word{s[i : end+1], at})
			if n := strings.Count(s[i:end], "\n"); n > 0 {
				line, start = line+n, i+strings.LastIndexByte(s[i:end], '\n')+1
			}
			i = end + 1
		default:
			end := i
			for end < len(s) && !strings.ContainsRune(" \t\r\n;{}\"'", rune(s[end])) || end < len(s) && s[end] == '{' && end > i && s[end-1] == '$' {
				end++
			}
			out = append(out, word{s[i:end], at})
			i = max(end, i+1)
		}
	}
	return out, nil
}
