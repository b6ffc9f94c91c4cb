package targets

// Asks reports what a look-up's parameter asks by, and the value that it asks for:
// business_key, reference, key, made (the ID that an earlier step returned) or, for a parameter that filters by none of them or
// whose text is not that of its template, nothing.
func (p *Profile) Asks(operation, parameter, text string) (by, value string) {
	op := p.operation(operation)
	if op == nil {
		return "", ""
	}
	for _, s := range op.asks() {
		if s.form != parameter {
			continue
		}
		value, ok := s.inner(text)
		if !ok {
			return "", ""
		}
		return map[exprKind]string{businessKey: "business_key", actionID: "reference", idempotencyKey: "key", madeID: "made"}[s.kind], value
	}
	return "", ""
}

// Constants are the parameters that are always the same in a request of the operation,
// by their names in a form.
func (p *Profile) Constants(operation string) map[string]string {
	op := p.operation(operation)
	if op == nil {
		return nil
	}
	out := map[string]string{}
	for _, s := range op.constants() {
		out[s.form] = s.expr.name
	}
	return out
}

// HasBody reports whether the operation's parameters stand in its body.
func (p *Profile) HasBody(operation string) bool {
	op := p.operation(operation)
	return op != nil && op.hasBody()
}
