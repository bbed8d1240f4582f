// What the page knows of one session, and how frames change it. Nothing here touches the document.

export class Session {
  constructor(id) {
    this.id = id;
    this.opened = false; // the history is here
    this.known = 0; // everything up to this revision is here
    this.mark = 0; // entries up to here belong to an earlier conversation
    this.entries = [];
    this.start = false; // there is nothing before the first entry
    this.snapshot = null;
    this.own = []; // what was said here and is in no entry yet: {id, text, state, note}
  }

  history(frame) {
    this.mark = frame.mark;
    if (frame.before) {
      const first = this.entries.length ? this.entries[0].revision : frame.before;
      const older = frame.entries.filter((e) => e.revision < first);
      this.start = !older.length;
      this.entries = [...older, ...this.entries];
    } else {
      this.opened = true;
      this.entries = frame.entries;
      this.known = frame.revision;
      this.start = false;
    }
    this.trim();
  }

  // committed applies an increment. It returns false if something before it is missing.
  committed(frame) {
    if (frame.after > this.known) return false;
    this.opened = true;
    this.entries.push(...frame.entries.filter((e) => e.revision > this.known));
    this.known = Math.max(this.known, frame.revision);
    this.mark = Math.max(this.mark, frame.mark);
    this.trim();
    return true;
  }

  // trim forgets what is not shown any more: the earlier conversation, and own messages that have got their entry.
  trim() {
    this.entries = this.entries.filter((e) => e.revision > this.mark);
    if (this.entries.length === 0 || this.entries[0].revision === this.mark + 1) this.start = true;
    const users = this.entries.filter((e) => e.role === 'user');
    const dropped = this.entries.some((e) => e.notice === 'stopped' && !this.seen(e));
    this.own = this.own.filter((m) => {
      if (users.some((e) => e.inbound === m.id)) return false;
      // several messages can be taken together as one, and a stop drops what waits
      return !taken(m) || !(dropped || users.some((e) => !this.seen(e) && e.text.includes(m.text)));
    });
    if (this.entries.length) this.last = this.entries[this.entries.length - 1].revision;
  }

  // seen tells whether an entry was there before the latest change.
  seen(entry) {
    return entry.revision <= (this.last || 0);
  }

  say(id, text) {
    if (!this.own.some((m) => m.id === id)) this.own.push({ id, text, state: 'sending', note: '' });
  }

  // receipt settles an own message.
  receipt(id, kind, note) {
    const message = this.own.find((m) => m.id === id);
    if (!message) return;
    message.state = { queued: 'waiting', not_taken: 'failed', refused: 'failed' }[kind] || 'sent';
    message.note = note;
  }

  discard(id) {
    this.own = this.own.filter((m) => m.id !== id);
  }

  // waiting is what has not got its turn: the core's word, and of the own messages those that it has not named.
  waiting() {
    const named = this.snapshot?.waiting || [];
    const ids = new Set(named.map((w) => w.inbound));
    const running = this.entries.some((e) => e.role === 'user' && e.turn === this.snapshot?.turn) ? '' : this.snapshot?.user || '';
    const own = this.own.filter((m) => !ids.has(m.id) && !(taken(m) && running.includes(m.text)));
    const all = [...named.map((w) => ({ id: w.inbound, text: w.text, state: 'waiting' })), ...own];
    return all.map((m) => ({ key: 'w' + m.id, kind: 'pending', ...m }));
  }

  // items is everything to show, in order. Each has a key that stays the same, and a kind.
  items() {
    const results = new Map(this.entries.filter((e) => e.kind === 'result').map((e) => [e.call, e.status]));
    const progress = new Map((this.snapshot?.calls || []).map((c) => [c.call, c]));
    const out = [];
    for (const e of this.entries) {
      const key = 'e' + e.revision;
      if (e.kind === 'message') out.push({ key, kind: 'message', role: e.role, text: e.text, partial: !!e.partial, at: e.at });
      if (e.kind === 'notice') out.push({ key, kind: 'notice', notice: e.notice, text: e.text });
      if (e.kind === 'call' && e.text) out.push({ key: key + 't', kind: 'aside', text: e.text });
      if (e.kind === 'call') out.push({ key, kind: 'call', label: e.label, status: results.get(e.call) || callState(progress.get(e.call)) });
    }
    return out;
  }

  // live is what goes on beyond the entries, in the same form.
  live() {
    const s = this.snapshot;
    if (!s) return [];
    const mine = this.entries.filter((e) => e.turn === s.turn);
    const out = [];
    if (s.user && !mine.some((e) => e.role === 'user')) {
      out.push({ key: 'user', kind: 'message', role: 'user', text: s.user, live: true });
    }
    if (mine.some((e) => e.role === 'agent')) return out; // the snapshot is older than the answer
    const committed = new Set(mine.filter((e) => e.kind === 'call').map((e) => e.call));
    const text = rest(s.text || '', mine.filter((e) => e.kind === 'call' && e.text).map((e) => e.text));
    const calls = (s.calls || []).filter((c) => !committed.has(c.call));
    const answer = text ? [{ key: 'text', kind: 'message', role: 'agent', text, live: true }] : [];
    const rows = calls.map((c) => ({ key: 'c' + c.call, kind: 'call', label: c.label, status: callState(c) }));
    // The text came with the calls while one is open, else it follows them.
    out.push(...(calls.every((c) => c.finished) ? [...rows, ...answer] : [...answer, ...rows]));
    if (s.state === 'thinking' && !text) out.push({ key: 'thinking', kind: 'thinking' });
    return out;
  }
}

// taken tells whether the core has an own message.
function taken(message) {
  return message.state === 'sent' || message.state === 'waiting';
}

// rest is what a snapshot's text says beyond what is committed with the calls of its turn, or with the later ones of them.
function rest(text, asides) {
  const said = asides.map((_, i) => asides.slice(i).join('\n\n')).find((s) => text.startsWith(s));
  return said ? text.slice(said.length).trim() : text;
}

function callState(progress) {
  if (progress?.finished) return 'ok';
  return progress?.started ? 'running' : 'waiting';
}
