package targets

// Asks reports what a look-up's parameter asks by, and the value that it asks for:
// business_key, reference, key, made (the ID that an earlier step returned) or, for a parameter that filters by none of them or
// whose text is not that of its template, nothing.
func (p *Profile) Asks(operation, parameter, text string) (by, value string) {
	op := p.operation(operation)
	if op == nil {
		return "", ""
	}
	for _, s := range op.query {
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
