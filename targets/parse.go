package targets

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/internal/schema"
)

//go:embed profiles/*.yaml
var profiles embed.FS

// ErrNoProfile is returned for a name that is neither a built-in profile nor a file.
var ErrNoProfile = errors.New("no such profile")

// Profile is a document that was read, checked and made ready for use. It never
// changes and may be shared.
type Profile struct {
	Document
	digest     string
	promises   harness.Promises
	operations []*operation
	reference  *field
	keyField   field
	errorCode  []field
	errorBody  []errorField
	marker     [2]string
	// requestID is the header of that name as net/http spells it.
	requestID string
	// arguments are those of the first step.
	arguments     []argumentSlot
	argumentNames []string
	normal        harness.Normal
	steps         []string
	// remembered is shared by copies.
	remembered *remembered
}

// Names lists the built-in profiles.
func Names() []string {
	files, _ := fs.Glob(profiles, "profiles/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

var (
	builtinMu sync.Mutex
	builtins  = map[string]*Profile{}
)

// Builtin returns a profile that comes with drill. That it is of the schema is held by
// a test, so that no worker that starts pays for finding it out again.
func Builtin(name string) (*Profile, error) {
	builtinMu.Lock()
	defer builtinMu.Unlock()
	if p := builtins[name]; p != nil {
		return p, nil
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: %q; built in are %s", ErrNoProfile, name, strings.Join(Names(), ", "))
	}
	b, err := profiles.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	p, err := parse(b, name+".yaml", func(*located.File) []schema.Mistake { return nil })
	if err != nil {
		return nil, err
	}
	builtins[name] = p
	return p, nil
}

// Load returns a built-in profile, or reads the file of that path.
func Load(nameOrPath string) (*Profile, error) {
	if !strings.ContainsAny(nameOrPath, "./\\") {
		return Builtin(nameOrPath)
	}
	b, err := os.ReadFile(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no file %s; built in are %s", ErrNoProfile, nameOrPath, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return Parse(b, nameOrPath)
}

// Parse reads one document. Every mistake is returned at once, in the order in
// which they stand in it, each with file, line, column, what was expected and what
// came; what is no YAML at all ends the reading.
func Parse(b []byte, file string) (*Profile, error) {
	return parse(b, file, func(f *located.File) []schema.Mistake { return compiledSchema().Check(f) })
}

// parse is [Parse] with what finds the mistakes of form.
func parse(b []byte, file string, form func(*located.File) []schema.Mistake) (*Profile, error) {
	f, err := located.Read(file, b)
	if err != nil {
		return nil, err
	}
	p := &Profile{digest: harness.Digest(b), remembered: new(remembered)}
	wrong := form(f)
	// With mistakes the rest is read as far as it goes, for what only its meaning
	// shows; without any, a failure is one that the schema does not know.
	if err := f.Decode(&p.Document, yaml.Strict()); err != nil && len(wrong) == 0 {
		return nil, err
	}
	if len(wrong) > 0 {
		p.Document = Document{}
		_ = f.Decode(&p.Document)
	}
	var all []error
	for _, m := range wrong {
		all = append(all, m.Err)
	}
	for _, bad := range slices.Concat(check(&p.Document), p.compile()) {
		if !bad.follows(wrong) {
			all = append(all, f.Errorf(bad.path, "%w", bad.err))
		}
	}
	if len(all) > 0 {
		return nil, located.Join(all)
	}
	return p, nil
}

// problem is one mistake and the path of keys to it.
type problem struct {
	path []any
	err  error
}

// follows reports whether a mistake of the schema stands behind this one: it is at
// the same place, or part of the section could not be read.
func (p problem) follows(wrong []schema.Mistake) bool {
	for _, m := range wrong {
		if slices.Equal(m.Path, p.path) {
			return true
		}
		if len(m.Path) == 0 {
			return m.Shape
		}
		sections := []any{m.Path[0]}
		if m.Path[0] == "operations" {
			// These are held against the operations.
			sections = append(sections, "lookup", "parts", "events")
		}
		if m.Shape && slices.Contains(sections, p.path[0]) {
			return true
		}
	}
	return false
}

// under puts keys in front of the paths.
func under(bad []problem, keys ...any) []problem {
	for i := range bad {
		bad[i].path = append(slices.Clone(keys), bad[i].path...)
	}
	return bad
}

// Digest returns the digest of the document as it was written.
func (p *Profile) Digest() string { return p.digest }

// DefaultAction returns the document's example: effect, business key, arguments and
// what changed means. Name, IDs and approval are left to the caller.
func (p *Profile) DefaultAction() harness.Action {
	changed := make(map[string]any, len(p.Example.Changed))
	for k, v := range p.Example.Changed {
		changed[k], _ = harness.NormalValue(v)
	}
	return harness.Action{
		Effect:      p.Example.Effect,
		BusinessKey: p.Example.BusinessKey,
		Arguments:   harness.Arguments(p.Example.Arguments).Clone(),
		Changed:     changed,
	}
}

// CheckAction refuses an action with an argument that no field of any step carries:
// it could be neither sent nor compared.
func (p *Profile) CheckAction(a harness.Action) error {
	known, given := p.argumentNames, 0
	for _, name := range known {
		if _, ok := a.Arguments[name]; ok {
			given++
		}
	}
	if given == len(a.Arguments) {
		return nil
	}
	for name := range a.Arguments {
		if !slices.Contains(known, name) {
			return fmt.Errorf("action %s: argument %q has no field in the %s operation of %s; it carries %s",
				a.Name, name, strings.Join(p.steps, " or "), p.Name, strings.Join(known, ", "))
		}
	}
	return nil
}

// namesOfArguments lists the arguments that the steps carry, in the steps' order.
func (p *Profile) namesOfArguments() []string {
	var out []string
	for _, step := range p.steps {
		op := p.operation(step)
		if op == nil {
			continue
		}
		for _, a := range op.argumentSlots {
			if !slices.Contains(out, a.name) {
				out = append(out, a.name)
			}
		}
	}
	return out
}
