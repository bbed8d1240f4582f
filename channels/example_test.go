package channels_test

import (
	"fmt"

	"steady/channels"
)

// An answer becomes messages: text, and spans that style it.
func Example() {
	whole := channels.Parse("# Today\n- [x] walk **12** min\n- [ ] read").Render()
	for i, part := range channels.Split(whole, 24) {
		fmt.Printf("message %d: %q\n", i, part.Text)
		for _, s := range part.Spans {
			fmt.Printf("  %d+%d bold: %t\n", s.Offset, s.Length, s.Style == channels.Bold)
		}
	}
	// Output:
	// message 0: "Today\n☑ walk 12 min"
	//   0+5 bold: true
	//   13+2 bold: true
	// message 1: "☐ read"
}
