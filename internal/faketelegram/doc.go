// Package faketelegram is a Bot API server for tests: it holds users, chats and messages in memory, answers a bot's calls
// with the real server's rules and texts, and lets a test act as the people on the other side.
//
// It judges the bot rather than pleasing it. Text is cleaned, counted in UTF-16 and refused as the platform does it, a second
// poller ends the first, an edit that changes nothing is refused, a press that nobody collected within 150 seconds is gone.
// The texts follow tdlib/telegram-bot-api (Client.cpp, WebhookActor.cpp) and tdlib/td (TQueue.cpp, MessageEntity.cpp).
//
// The files, in the order in which a call meets them:
//
//	server.go   Config, New, Start, Close, the wait on a condition
//	call.go     one call through its phases; the log
//	fault.go    rules that refuse, delay, lose and garble calls
//	request.go  JSON, forms and queries become one set of parameters
//	methods.go  the table of methods and the small ones
//	send.go     messages that the bot sends, edits and deletes
//	text.go     text and its entities; nesting.go and parsemode.go belong to it
//	markup.go   buttons and presses
//	commands.go the command menu
//	world.go    chats, and who may do what in them
//	drive.go    what people do: say, edit, press, block, kick, move
//	view.go     what a test may look at
//	wire.go     the JSON of updates and answers
//	queue.go    the queue of updates; poll.go and webhook.go empty it
//
// Known differences: webhooks may be plain http on any port, as with a self-hosted server in local mode; a button with two
// actions is refused, where the server takes the first; entities that the platform finds by itself (links, mentions) are
// added to people's texts only; an edit in a migrated group is answered like a send there. Not modelled: inline mode,
// business, payments, drafts and rich messages (their methods are unknown, as on an older server).
package faketelegram
