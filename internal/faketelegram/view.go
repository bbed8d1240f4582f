package faketelegram

import "slices"

// Messages returns what was ever said in a chat, in order, as it stands now; deleted messages say so.
func (s *Server) Messages(chat int64) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[chat]
	if r == nil {
		return nil
	}
	all := make([]Message, 0, len(r.messages))
	for _, m := range r.messages {
		all = append(all, m.copyOf())
	}
	return all
}

// FromBot returns the bot's messages of a chat that are still there.
func (s *Server) FromBot(chat int64) []Message {
	return slices.DeleteFunc(s.Messages(chat), func(m Message) bool { return m.Deleted || m.From.ID != s.me.ID })
}

// Pending returns the ids of the updates that are neither confirmed nor expired.
func (s *Server) Pending() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.expire(s.cfg.Now())
	ids := []int64{}
	for _, u := range s.queue.events {
		ids = append(ids, u.id)
	}
	return ids
}

// PressOf returns what became of a press.
func (s *Server) PressOf(id string) (Press, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.presses[id]
	if p == nil {
		return Press{}, false
	}
	return *p, true
}

// Webhook returns the address that updates are delivered to, "" without one.
func (s *Server) Webhook() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hook == nil {
		return ""
	}
	return s.hook.url
}

// Polling reports whether a getUpdates call waits for updates now.
func (s *Server) Polling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll != nil
}
