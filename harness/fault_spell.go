package harness

// Spelling is the text that SpellLike put beside the fault; empty where nobody asked.
func (f *Fault) Spelling() string { return f.spelling }

// SpellLike puts the fault's text beside it, for whoever tells of it often. A field that
// is changed afterwards does not show in the text. One that is likely to be the fault's
// is not made once more.
func (f *Fault) SpellLike(text string) {
	w := f.word()
	if f.spelling == "" {
		var room [96]byte
		if b := f.appendAs(w, room[:0]); string(b) == text {
			f.spelling = text
		} else {
			f.spelling = string(b)
		}
	}
	f.key = w.key
}

// String prints the fault so that [ParseFault] reads it back.
func (f Fault) String() string { return f.Line() }

// Line is String without a copy of the fault, which is large.
func (f *Fault) Line() string {
	if f.spelling != "" {
		return f.spelling
	}
	var room [96]byte
	return string(f.append(room[:0]))
}

// Lines are the texts of faults.
func Lines(faults []Fault) []string {
	out := make([]string, 0, len(faults))
	for i := range faults {
		out = append(out, faults[i].Line())
	}
	return out
}

// reads reports whether a line is this fault as [Fault.String] writes it.
func (f *Fault) reads(line string) bool {
	var room [96]byte
	return string(f.append(room[:0])) == line
}

func (f *Fault) append(b []byte) []byte { return f.appendAs(f.word(), b) }

// appendAs is append for the fault's word of the vocabulary.
func (f *Fault) appendAs(w *word, b []byte) []byte {
	b = append(append(f.Where.append(b), ' '), f.Name...)
	if params := w.kind.Params; params != NoParams {
		b = f.appendParams(b, params)
	}
	if f.Optional {
		b = append(b, '?')
	}
	return b
}
