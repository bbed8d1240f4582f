// The connection: it is made again when it breaks, and what was not acknowledged is sent again with the same id.

const version = 1;
const firstDelay = 400;
const longestDelay = 15000;
const ackTimeout = 12000; // without a receipt for so long the connection is taken for dead
const retryDelay = 3000; // after the server could not take something
const actionLife = 60000; // a press or a command is not sent again after this
const store = 'steady.unsent';

export class Link {
  // hooks: hello() → frame to begin with, frame(f, original), state(name) with name one of online, offline, signin.
  constructor(hooks) {
    this.hooks = hooks;
    this.delay = firstDelay;
    this.unsent = new Map(recall('sessionStorage', store, []).map((frame) => [frame.id, { frame, since: Date.now() }]));
    this.socket = null;
    addEventListener('online', () => this.now());
    document.addEventListener('visibilitychange', () => document.hidden || this.probe());
  }

  // now connects without waiting any longer.
  now() {
    if (this.socket) return this.probe();
    clearTimeout(this.timer);
    this.delay = firstDelay;
    this.connect();
  }

  async connect() {
    if (this.connecting) return;
    this.connecting = true;
    const response = await fetch('/login', { signal: AbortSignal.timeout(ackTimeout) }).catch(() => null);
    this.connecting = false;
    if (response?.status === 401) return this.hooks.state('signin');
    if (!response?.ok) return this.lost();
    const url = new URL('/ws', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = (this.socket = new WebSocket(url));
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.received(JSON.parse(event.data));
    socket.onclose = () => this.lost();
    this.expect();
  }

  opened() {
    this.write(this.hooks.hello());
    for (const [id, { frame, since }] of this.unsent) {
      if (frame.type !== 'say' && Date.now() - since > actionLife) this.unsent.delete(id);
      else this.push(frame);
    }
  }

  lost() {
    this.drop();
    this.hooks.state('offline');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.delay * (0.75 + Math.random() / 2));
    this.delay = Math.min(this.delay * 2, longestDelay);
  }

  drop() {
    clearTimeout(this.ack);
    this.ack = 0;
    if (!this.socket) return;
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }

  // probe makes a connection that only seems to live be found out: the server always answers hello.
  probe() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.write(this.hooks.hello());
    this.expect();
  }

  expect() {
    this.ack ||= setTimeout(() => this.lost(), ackTimeout);
  }

  received(frame) {
    if (this.delay !== firstDelay || frame.type === 'hello') {
      this.delay = firstDelay;
      this.hooks.state('online');
    }
    clearTimeout(this.ack);
    this.ack = 0;
    const original = frame.id && this.unsent.get(frame.id)?.frame;
    if (frame.type === 'error' && original && (frame.code === 'closed' || frame.code === 'failed')) {
      setTimeout(() => this.unsent.has(frame.id) && this.push(original), retryDelay);
    } else if (original) {
      this.unsent.delete(frame.id);
      this.save();
    }
    if ([...this.unsent.values()].some((u) => u.pushed === this.socket)) this.expect();
    this.hooks.frame(frame, original);
  }

  // send sends a frame that only asks; it is lost without a connection.
  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN) this.write(frame);
  }

  // deliver sends a frame until there is a receipt for it.
  deliver(frame) {
    this.unsent.set(frame.id, { frame, since: Date.now() });
    this.save();
    if (this.socket?.readyState === WebSocket.OPEN) this.push(frame);
  }

  push(frame) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const entry = this.unsent.get(frame.id);
    if (entry) entry.pushed = this.socket;
    this.write(frame);
    this.expect();
  }

  write(frame) {
    this.socket.send(JSON.stringify({ v: version, ...frame }));
  }

  // pending are the messages without a receipt, also those from before a reload.
  pending() {
    return [...this.unsent.values()].map((u) => u.frame).filter((f) => f.type === 'say');
  }

  save() {
    keep('sessionStorage', store, this.pending());
  }
}

// recall reads what keep wrote; otherwise where there is nothing or no storage.
export function recall(storage, key, otherwise) {
  try {
    return JSON.parse(window[storage].getItem(key)) || otherwise;
  } catch {
    return otherwise;
  }
}

// keep writes a value, if there is storage.
export function keep(storage, key, value) {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // none: a reload forgets it
  }
}

// randomID makes an id that nobody else makes. It works without a secure context, where there is no randomUUID.
export function randomID() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
}
