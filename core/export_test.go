package core

// EnvelopeOf is an inbound as Accept would ingest it.
func EnvelopeOf(in Inbound) Envelope {
	_, command := in.Event.(Commanded)
	_, press := in.Event.(Pressed)
	return Envelope{Chat: in.Chat, ID: in.ID, Urgent: command || press, Body: packInbound(in, 0)}
}

// LongHistory is a chat's key space with n entries, in pieces for one commit each.
func LongHistory(n int) [][]KV {
	var out [][]KV
	for first := 1; first <= n; first += 1000 {
		var batch []KV
		for rev := first; rev < min(first+1000, n+1); rev++ {
			role := User
			if rev%2 == 0 {
				role = Agent
			}
			batch = append(batch, KV{entryKey(uint64(rev)), packEntry(Recorded{Turn: uint64(rev+1) / 2, Entry: Message{Role: role, Text: "some words of an old message"}})})
		}
		out = append(out, batch)
	}
	return append(out, []KV{{keyChat, pack(chatRow{versioned: versioned{rowVersion}, Channel: "bench", Context: "1", Direct: true, Revision: uint64(n), Turns: n / 2, Indexed: true})}})
}
