package targets

// Events are what the target tells by itself, beside its answers.
type Events struct {
	Source string
	// Of maps an operation to what is told once it committed.
	Of map[string]EventShape
}

// EventShape is what such a notice looks like.
type EventShape struct {
	// Type is the provider's name for it, like payment.succeeded.
	Type string `yaml:"type"`
	// IDPrefix is how its ID begins.
	IDPrefix string `yaml:"id_prefix"`
}

// UnmarshalYAML reads {source: URL, OPERATION: {type, id_prefix}, …}.
func (e *Events) UnmarshalYAML(decode func(any) error) error {
	var entries map[string]eventEntry
	if err := decode(&entries); err != nil {
		return err
	}
	e.Of = map[string]EventShape{}
	for name, x := range entries {
		if name == "source" {
			e.Source = x.text
			continue
		}
		e.Of[name] = x.EventShape
	}
	return nil
}

// eventEntry is the source's text, or a shape.
type eventEntry struct {
	text string
	EventShape
}

// UnmarshalYAML reads either form.
func (e *eventEntry) UnmarshalYAML(decode func(any) error) error {
	if err := decode(&e.text); err == nil {
		return nil
	}
	return decode(&e.EventShape)
}
