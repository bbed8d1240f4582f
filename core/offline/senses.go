package offline

// A sense is what a phrase of the tables says, whatever the language.
type sense uint8

// The senses. Those of a group are told apart because something branches on them.
const (
	filler  sense = iota // says nothing, but is known
	title                // part of a catalog title: hides what its words could mean else
	concept              // a thing or deed of the world of habits; the value numbers it
	group                // a category; the value numbers it

	// What is asked for.
	streak  // days in a row, progress
	mine    // the person's own habits
	left    // what is still to do
	about   // details of something
	find    // search, recommend; the value tells whether plainly
	catalog // the catalog itself
	need    // "anything against", "help with"
	show    // show, list: of what, other words say
	thing   // the word habit

	// What is to be written.
	record   // log it
	done     // it was done
	past     // a deed in the past tense
	not      // it was not done
	no       // "no" before a thing
	blank    // the word blank
	skip     // excused
	excuse   // what excuses: illness, a journey
	add      // begin a habit; the value tells whether plainly
	want     // a wish
	replace  // overwrite
	unlogged // forgot to log it: says nothing against the deed
	minimum
	standard
	stretch
	noted // what follows is a note
	anchorAfter
	anchorBefore
	anchorWhen

	// When.
	today
	yesterday // the value counts the days back
	ago       // the unit of "days ago"
	weekday   // 1 is Monday
	thisWeek
	lastWeek
	lastDay // "last" before a weekday
	month
	daily   // the value holds the weekdays as bits: every day, weekends
	numeral // a number word
	nth     // an ordinal, or a number with what makes it one

	// What keeps a sentence from being a report or an order.
	ask       // a question
	please    // makes an order of a question
	unless    // a condition, a wish against the facts
	supposing // a condition of Korean, which can be the cue of a habit too
	will      // a near future, an intention
	later     // a future that nothing can be logged for
	other     // somebody else
	with      // makes a companion of somebody
	said      // reported speech
	maybe     // doubt
	forbid    // do not
	pending   // not yet
	usual     // a custom
	longAgo   // a past without a date
	takeBack  // I was wrong
	contrast  // but
	beyond    // what the coach cannot do: reminders, pauses, other names
	me
	it

	// Talk.
	hello
	help
	thanks
	who
	yes
	never // the end: how many senses there are
)

// The values of phrases that say more or less plainly what is asked for.
const (
	plainly = 1 // "add", "search": it says nothing else
	begins  = 2 // "start", with the name of a habit
	ofThing = 1 // "finished": a coffee can be finished, and not only a habit
	ofHabit = 1 // "missed": said of a habit, and not of a thing
)
