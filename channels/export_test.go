package channels

// Remembered returns how many chats p keeps.
func (p *Pacer) Remembered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.chats)
}
