package harness

import "fmt"

// clashes finds lines that can not both be carried out.
func (s *Schedule) clashes() error {
	if i, j, reason := Clash(s.Faults); reason != "" {
		return fmt.Errorf("faults %q and %q clash: %s", s.Faults[i], s.Faults[j], reason)
	}
	return nil
}

// Clash finds two lines, by their places in the list, that can not both be carried
// out, and says why; without such a pair the reason is empty.
func Clash(faults []Fault) (i, j int, reason string) {
	for i := range faults {
		f := &faults[i]
		for j := i + 1; j < len(faults); j++ {
			g := &faults[j]
			if !sameScope(&f.Where, &g.Where) {
				continue
			}
			if f.Where.Point == g.Where.Point && f.Where.Side == g.Where.Side && !g.Optional &&
				within(&g.Where, &f.Where) && (f.Where.IsOperation() || f.Where.Point == AtEvent || f.Name == g.Name) {
				return i, j, "the first strikes wherever the second could"
			}
		}
		for j := range faults {
			g := &faults[j]
			if f.resets() && g.Closes() && sameSlot(&f.Where, &g.Where) {
				return i, j, "a link armed for RST turns every close into a RST"
			}
			if f.recovers() && g.shapes() && overlap(&f.Where, &g.Where) {
				return i, j, "a recovery is handed nothing that the other could shape"
			}
		}
	}
	return 0, 0, ""
}

func overlap(a, b *Where) bool {
	return (a.To == 0 || b.From <= a.To) && (b.To == 0 || a.From <= b.To)
}

func sameScope(a, b *Where) bool { return a.Worker == b.Worker && a.Action == b.Action }

func sameSlot(a, b *Where) bool { return a.Worker == 0 || b.Worker == 0 || a.Worker == b.Worker }

func within(inner, outer *Where) bool {
	return inner.From >= outer.From && (outer.To == 0 || (inner.To != 0 && inner.To <= outer.To))
}
