package habit

import "math"

// strengthHalfLife is the number of due days after which half of the strength is gone or gained (habits.md §3.7).
const strengthHalfLife = 13

// Strength is exponential smoothing over the due days, from 0 to 100 with one decimal (habits.md §3.7): a done day adds, a miss
// takes away, neutral days and an open today leave it as it is.
func (h *Habit) Strength(log Log, today Date) float64 {
	today = h.asOf(today)
	keep := math.Pow(0.5, 1.0/strengthHalfLife)
	s := 0.0
	for d := h.firstDay(); d <= today; d++ {
		switch h.classOf(d, today, log.On(d)) {
		case hit:
			s = s*keep + 1 - keep
		case miss:
			s *= keep
		}
	}
	return math.Round(1000*s) / 10
}
