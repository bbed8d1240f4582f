// Package channels is what the chat adapters share: Markdown as chats show it, the one splitter, and the pace-keeper. It
// knows no platform; an adapter brings the limits of its own.
//
// An answer goes through three steps, each a pure function:
//
//	doc := channels.Parse(markdown)            // document.go, parse.go, grammar.go: a small tree of blocks and styled runs
//	whole := doc.Render()                      // render.go, table.go: visible text, and spans that style it
//	parts := channels.Split(whole, 4096)       // split.go: messages, none over the limit
//
// Part k is sent as parts[k].Text with parts[k].Spans as the platform's entities. Where the platform refuses the formatting,
// the plain fallback is the same Text without the spans, so both show the same words. Formatting is never text that must be
// escaped, so nothing grows after the split and nothing half-open can be refused while an answer streams.
//
// Text without Markdown is split by the same function: Split(Rendered{Text: s}, limit).
//
// Offsets, lengths and limits count UTF-16 code units, as Telegram's message entities do (Bot API, MessageEntity).
//
// A [Pacer] (pace.go) tells when a call may be made within the limits of one chat and of the whole bot, and which calls give
// way when there are too many.
package channels
