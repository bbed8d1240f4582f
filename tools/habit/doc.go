// Package habit is the habit domain: what a habit is, what its days count for, which wordings and dates are refused, and what
// must not be answered with a habit at all. Its source is the domain specification, habits.md; comments name the section, and
// tests carry the ids of its tables.
//
// The pure part comes first and knows neither tools nor documents:
//
//	date.go days.go         civil dates, what "today" is, when a reminder fires (§1.1, §3.4, §6.2)
//	habit.go entry.go       the values (§1)
//	streak.go strength.go   what the days of a habit count for (§3.5–3.7)
//	normalize.go            the form in which texts are judged (§4.2)
//	avoidance*.go           R7, the detector of avoidance wording (§4)
//	safety*.go              the safety gate and its fixed texts (§7)
//	catalog*.go search.go   what habits begin with (§1.3, §2.4, §5)
//
// The rest serves one person through documents, which a caller hands in with every call:
//
//	rows.go book.go         what is stored, and how it is reached
//	shelf.go frame.go       rules over a person's habits: R2, R3, R4
//	coach.go                [Coach], what the rest of the program uses
//	catalog_tools.go habit_tools.go habit_list.go tracker_tools.go coerce.go   the tools of seed 001 §3
//	guard.go board.go       the gate on messages; what a prompt and the command /habits show
//
// A tool that writes applies its rules twice: before a person is asked, and again to the documents that are written. What the
// precheck returns is complete, so that what a person allows is what is stored.
package habit
