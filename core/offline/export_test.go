package offline

import "slices"

// Evidence tells whether a message has what a write must rest on: a thing or a habit's number, and a word for a report, an order
// or a wish. The spelling may have to be corrected for it.
func (m *Model) Evidence(s string) bool {
	m.learned.Do(m.learn)
	r := m.read(s)
	readings := []*reading{r}
	if fixed, ok := m.words.repairs.text(m, r); ok {
		readings = append(readings, m.readText(fixed))
	}
	return slices.ContainsFunc(readings, func(r *reading) bool {
		_, _, deed := m.deedOf(r, habit{})
		thing := len(r.terms) > 0 || slices.ContainsFunc(r.norm, func(c rune) bool { return c >= '0' && c <= '9' })
		return thing && (deed || r.has(add, want))
	})
}
