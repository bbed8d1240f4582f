package core

import "strconv"

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// show publishes the snapshot of the open turn and how many messages wait.
func (a *agent) show() {
	waiting := a.normal()
	if a.turn == nil {
		a.e.live.publish(a.key, nil, len(waiting))
		return
	}
	s := &Snapshot{Turn: a.turn.ID, User: a.turn.In.Text, State: Thinking}
	active := ""
	if w := a.working(); w != nil && w.stream == nil {
		s.State = Acting
		if m := nextMove(a.entries, a.e.opt.Limits.MaxToolRounds); m.kind == moveCall {
			active = m.call.ID
		}
	}
	s.Text, s.Calls = a.e.progress(a.entries, 0, a.turn.ID, active)
	s.Text = join(s.Text, a.partial())
	if a.parked() {
		s.State, s.Question = Parked, a.gate.view(a.chat.Lang)
	}
	for _, r := range waiting {
		if said, ok := r.ev.(Said); ok {
			s.Waiting = append(s.Waiting, WaitingView{Inbound: r.in.ID, Text: said.Text})
		}
	}
	a.e.live.publish(a.key, s, len(waiting)+1)
}
