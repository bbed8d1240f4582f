// Package core is Steady's domain and engine: what a chat is, how a message becomes an answer, when a person is asked first, and
// how nothing is lost or shown twice. It knows no platform, no database and no provider; it imports the standard library alone.
// Channels, stores, models and tools meet only through the contracts here, and cmd/bot is who puts them together.
//
// This is the tour for a newcomer. It follows one message, and names the file for each hop.
//
// # The words
//
// A chat ([ChatKey]) is one conversation. People have accounts; a person ([PersonID]) is one human with all of theirs. What a
// platform delivers is an [Inbound] with one [Event]. What the chat's history holds are entries: a [Message] of a user or of the
// agent and of nobody else, a [Call] of a tool, its [Result], and a [Notice] by code. An entry's id is its revision, the count of
// entries ever appended to the chat, which never falls. A turn is all that one inbound causes; a step is one move of it. A
// question asks a person about one call. An outbox item is something that must reach the chat. A [Snapshot] is what is shown of a
// turn while it runs: the newest wins, and it is never the truth.
//
// # One message, hop by hop
//
//  1. A channel (channel.go is its contract) makes an [Inbound] of an update and hands it to [Engine.Accept] (accept.go): blank
//     input ends here, a moved chat is found through its alias, a press is answered from its question's row where that proves
//     enough. The rest is ingested; when Accept returns, it is durable, and only then does the channel acknowledge it upstream.
//  2. The store (store.go) keeps a chat as an actor: an ordered inbox with an urgent lane, a private key space, one timer. What is
//     due waits for a claim; engine.go hands claimed chats to agents, each lane with slots of its own, so that /stop and presses
//     get through when all workers are busy.
//  3. An agent (agent.go) is one goroutine that owns a chat's lease. Nobody else writes to the chat. It makes one move after
//     another until none is left, in the order of importance: what a person says about a running turn (urgent.go), what children
//     came back with, whether a parked turn must go on (gate.go), the turn's next step (turn.go). Models, tools, commands and
//     deliveries run in children, so that a slow one holds up nobody who presses or stops.
//  4. A turn's next step is decided by its entries alone (nextMove in turn.go): ask the model, or handle one call. Whoever finds
//     a chat after a crash therefore goes on at the last commit. prompt.go builds the request, in one place for the first try and
//     for the one recovery after an overflow.
//  5. A call (call.go) is validated and checked before anybody is asked (dispatch.go). A call that destroys opens a question and
//     parks the turn (gate.go); no goroutine waits for a person. question.go is the state machine of the gate. An effect on
//     documents is committed together with its result; any other effect is logged as started first, and what is found started
//     after a crash is said to be unknown and never run again. envelope.go is what the model is told.
//  6. Every move ends in one commit (commit.go): entries, questions, outbox, documents and acknowledgements, or nothing. It is
//     refused when the lease was lost, when something urgent came that the agent has not seen, or when a document changed; then
//     the move is decided anew. rows.go says how everything is stored, and what may change about that.
//  7. The outbox (outbox.go) is delivered in order, one call at a time for each chat, and after it the newest preview. How a try
//     ended and what follows is one pure function, the delivery table (delivery.go).
//  8. Clients with a screen follow a chat through [Reader] (reader.go, live.go): history by increments of the revision, and the
//     snapshot of what runs.
//
// texts.go and present.go hold every text for people, in every language. supervise.go owns every goroutine.
//
// # What was decided, and why
//
//   - A plain turn costs three durable transactions: the ingest, the turn, and the settled delivery; a fourth when a preview was
//     shown, whose id must be known before the answer is edited into it. So a turn that fails before its first commit leaves its
//     inbox row and nothing else, and is begun again. Beginnings are counted only for rows that were there before the process:
//     that is where a message that kills it would come from.
//   - The texts that come with calls stay in their message: what a chat shows of a turn is the texts since the last question,
//     joined. History keeps them with the calls, so that the turn's one agent message is the answer alone.
//   - A person's language is what they chose, else what the operator fixed, else the script they write in if that tells, else the
//     platform's word. Latin letters tell little.
//   - A prompt holds at most 256 entries of history, whatever the model could read: a chat of a hundred thousand entries answers as
//     fast as a new one.
//   - Where the id of a preview was lost, the answer goes out under the preview's once: a platform that can tell shows one message.
//     A press proves that its question was shown, and where.
//   - An urgent agent gives its slot back as soon as it waits: what is urgent has been decided by then, and a platform that hangs
//     in many chats delays no press elsewhere.
//   - The store is told what to check and not how: leases, fencing and order are behind its contract, so that several machines
//     can share a database without a change here. The measurements behind the contract are in docs/performance.md.
//   - Tools are values and not interfaces, with Apply for effects on documents and Run for the rest: the difference between an
//     effect that can be committed and one that can only be logged is in the type.
package core
