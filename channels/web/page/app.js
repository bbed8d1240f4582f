// The page. It shows what the server tells of the sessions and sends what the person does; it decides nothing.

import { keep, Link, randomID, recall } from '/link.js';
import { Session } from '/session.js';
import { choose, textsIn } from '/texts.js';
import { $, makeItem, makeSession, QuestionPanel, show } from '/view.js';

const maxText = 60000; // bytes of a message in a frame; the server takes frames of 64 KiB
const bannerAfter = 1500; // a connection that is back sooner is not worth a word
const seenStore = 'steady.seen';

const lang = choose(document.documentElement.lang ? [document.documentElement.lang] : navigator.languages);
const texts = textsIn(lang);
document.documentElement.lang = lang;

const sessions = new Map();
let list = null; // as the server told it
let boot = '';
let current = null;
const seen = recall('localStorage', seenStore, {}); // session → revision that was looked at

const link = new Link({ hello, frame: take, state: connection });
const question = new QuestionPanel(texts, (token) => deliver({ type: 'press', token }));

function hello() {
  return { type: 'hello', lang, boot, session: current?.id || '', revision: current?.known || 0 };
}

function deliver(frame) {
  if (current) link.deliver({ id: randomID(), session: current.id, ...frame });
}

// take applies one frame of the server.
function take(frame, original) {
  switch (frame.type) {
    case 'hello':
      if (boot && boot !== frame.boot) for (const id of sessions.keys()) if (id !== current?.id) sessions.delete(id);
      boot = frame.boot;
      $('pairing').textContent = frame.pairing || '';
      $('pairing').hidden = !frame.pairing;
      return;
    case 'sessions':
      if (!list) for (const s of frame.sessions) seen[s.session] ??= s.revision; // nothing is new to a new page
      list = frame.sessions;
      if (!current) open(list[0]?.session || 'main');
      return renderSessions();
    case 'receipt':
      return receipt(frame, original);
    case 'error':
      return refused(frame, original);
  }
  const session = sessions.get(frame.session);
  if (!session) return;
  switch (frame.type) {
    case 'history': {
      const below = scroll.scrollHeight - scroll.scrollTop;
      session.history(frame);
      if (session !== current) return;
      render();
      if (frame.before) scroll.scrollTop = scroll.scrollHeight - below; // what was in view stays
      return;
    }
    case 'committed':
      if (!session.committed(frame)) return link.send({ type: 'open', session: session.id, revision: session.known });
      break;
    case 'snapshot':
      session.snapshot = frame;
      break;
    case 'ended':
      session.snapshot = null;
      break;
  }
  if (session === current) render();
}

function receipt(frame, original) {
  const session = sessions.get(original?.session);
  // a command makes no message, and what was seen before has its place already
  if (frame.command || frame.kind === 'nothing') session?.discard(frame.id);
  if (original?.type === 'say') session?.receipt(frame.id, frame.kind, frame.text);
  else if (!['stored', 'queued', 'nothing', 'received'].includes(frame.kind)) toast(frame.text);
  render();
}

function refused(frame, original) {
  toast(frame.text);
  if (!original || frame.code === 'closed' || frame.code === 'failed') return;
  if (original.type === 'say') sessions.get(original.session)?.receipt(frame.id, 'refused', frame.text);
  if (original.type === 'press') question.retry();
  render();
}

// open shows a session, new or known.
function open(id) {
  if (current?.id === id) return;
  if (!sessions.has(id)) sessions.set(id, new Session(id));
  current = sessions.get(id);
  for (const f of link.pending()) if (f.session === id) current.say(f.id, f.text);
  if (location.hash !== '#' + id) history.replaceState(null, '', '#' + id);
  link.send({ type: 'open', session: id, revision: current.known });
  closeMenu();
  $('log').replaceChildren();
  $('now').replaceChildren();
  render();
  toEnd();
  renderSessions();
}

// openNamed opens the session that the address names, as after a reload.
function openNamed() {
  const id = location.hash.slice(1);
  if (/^[\w-]{1,64}$/.test(id)) open(id);
}

// ---- what is shown ----

const scroll = $('scroll');
let stuck = true; // the newest stays in view
let quietTimer = 0;

function render() {
  if (!current) return;
  const log = current.items();
  const fresh = $('log').childElementCount === 0 && log.length > 1;
  if (fresh) quiet();
  const now = [...current.live(), ...current.waiting()];
  show($('log'), log, (item) => makeItem(item, texts));
  show($('now'), now, (item) => makeItem(item, texts, again));
  const running = !!current.snapshot;
  $('stop').hidden = !running;
  say('state', running && current.snapshot.state !== 'parked' ? texts.thinking : '');
  $('earlier').hidden = !current.opened || current.start;
  $('empty').hidden = !current.opened || log.length + now.length > 0;
  question.show(current.snapshot?.question);
  look();
}

// quiet is called before a stretch of history comes in: that is not read out.
function quiet() {
  $('log').ariaLive = 'off';
  clearTimeout(quietTimer);
  quietTimer = setTimeout(() => ($('log').ariaLive = 'polite'), 1000);
}

// look remembers that the person has seen the current session, for the marks in the list.
function look() {
  if (document.hidden || seen[current.id] === current.known) return;
  seen[current.id] = current.known;
  keep('localStorage', seenStore, seen);
}

function renderSessions() {
  const rows = (list || []).map((s) => ({
    key: s.session,
    session: s.session,
    title: s.title,
    current: s.session === current?.id,
    unread: s.session !== current?.id && s.revision > (seen[s.session] || 0),
  }));
  if (current && !rows.some((r) => r.current)) rows.unshift({ key: current.id, session: current.id, title: '', current: true });
  show($('sessions'), rows, (row) => makeSession(row, texts, open));
  const title = rows.find((r) => r.current)?.title;
  $('title').textContent = title || texts.untitled;
  document.title = title ? title + ' · Steady' : 'Steady';
}

function toEnd() {
  stuck = true;
  scroll.scrollTop = scroll.scrollHeight;
}

scroll.addEventListener('scroll', () => (stuck = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80));
const resized = new ResizeObserver(() => stuck && toEnd());
resized.observe(scroll);
resized.observe($('column'));

// say sets a text that is read out when it changes.
function say(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

let toastTimer = 0;

function toast(text) {
  say('toast', text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => say('toast', ''), 6000);
}

let bannerTimer;

function connection(state) {
  if (state !== 'offline') bannerTimer = clearTimeout(bannerTimer);
  $('login').hidden = state !== 'signin';
  $('app').hidden = state === 'signin';
  if (state === 'signin') return $('token').focus();
  if (state === 'online') $('banner').hidden = true;
  else bannerTimer ??= setTimeout(() => ($('banner').hidden = false), bannerAfter);
}

// ---- what the person does ----

const input = $('input');
// What draws nothing: as in the core, it is no message.
const invisible = /^[\s\p{Cf}\p{Cc}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0\u2800\u034F\u17B4\u17B5]*$/u;

function submit() {
  const text = fitting(input.value.trim());
  if (invisible.test(text) || !current) return;
  const id = randomID();
  current.say(id, text);
  link.deliver({ type: 'say', id, session: current.id, text });
  input.value = '';
  grow();
  toEnd();
  render();
}

// fitting cuts a text that would not fit into a frame, and says so.
function fitting(text) {
  const size = (s) => new TextEncoder().encode(JSON.stringify(s)).length;
  if (size(text) <= maxText) return text;
  let chars = [...text];
  while (size(chars.join('')) > maxText) chars = chars.slice(0, Math.floor(chars.length * 0.9));
  toast(texts.tooLong);
  return chars.join('');
}

// again puts a message that was not taken back into the input.
function again(message) {
  current.discard(message.id);
  input.value = input.value ? message.text + '\n' + input.value : message.text;
  grow();
  render();
  input.focus();
}

function grow() {
  input.style.height = 'auto';
  input.style.height = Math.min(input.scrollHeight + 2, innerHeight * 0.4) + 'px';
}

input.addEventListener('input', () => {
  question.typed = Date.now();
  grow();
});
input.addEventListener('compositionstart', () => (question.composing = true));
input.addEventListener('compositionend', () => (question.composing = false));
let shift = false;
input.addEventListener('keydown', (event) => {
  shift = event.shiftKey;
  // Enter that ends the composition of a syllable is not the Enter that sends; 229 is how Safari tells.
  if (event.key !== 'Enter' || shift || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  submit();
});
input.addEventListener('beforeinput', (event) => {
  if (event.inputType !== 'insertLineBreak' || shift) return;
  event.preventDefault(); // keyboards on screens may tell of Enter only here
  submit();
});
$('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
  input.focus();
});
$('stop').onclick = () => {
  deliver({ type: 'command', name: 'stop' });
  input.focus();
};
$('new-conversation').onclick = () => {
  deliver({ type: 'command', name: 'new' });
  input.focus();
};
$('new-session').onclick = () => {
  open(randomID());
  input.focus();
};
$('earlier').onclick = () => {
  quiet();
  link.send({ type: 'history', session: current.id, before: current.entries[0].revision });
};
$('reconnect').onclick = () => link.now();
addEventListener('hashchange', openNamed);
document.addEventListener('visibilitychange', () => current && look());

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing) return;
  if ($('side').classList.contains('open')) return closeMenu();
  if (question.open) question.answer('deny');
});

$('menu').onclick = () => {
  $('side').classList.add('open');
  $('shade').hidden = false;
  $('menu').setAttribute('aria-expanded', 'true');
  $('new-session').focus();
};
$('shade').onclick = closeMenu;

function closeMenu() {
  if (!$('side').classList.contains('open')) return;
  $('side').classList.remove('open');
  $('shade').hidden = true;
  $('menu').setAttribute('aria-expanded', 'false');
  $('menu').focus();
}

$('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = new URLSearchParams({ token: $('token').value });
  const response = await fetch('/login', { method: 'POST', body }).catch(() => null);
  const errors = { 401: texts.badToken, 429: texts.tooMany };
  $('login-error').textContent = response?.ok ? '' : errors[response?.status] || texts.unreachable;
  if (!response?.ok) return $('token').select();
  $('token').value = '';
  connection('online');
  link.now();
  input.focus();
});

// ---- the words ----

for (const e of document.querySelectorAll('[data-text]')) e.textContent = texts[e.dataset.text];
for (const e of document.querySelectorAll('[data-label]')) {
  e.setAttribute('aria-label', texts[e.dataset.label]);
  if (e.type === 'button') e.title = texts[e.dataset.label];
}
input.placeholder = texts.placeholder;

$('app').hidden = false;
openNamed();
link.connect();
input.focus();
