// How things look: from the items of a session to elements.

import { el, render } from '/markdown.js';

export const $ = (id) => document.getElementById(id);

// roleLook is all that is derived from the role of a message: the classes, which decide side and border, and the label. It is never
// the other way round.
export function roleLook(role, texts) {
  const user = role === 'user';
  return {
    message: user ? 'user-message' : 'response-message',
    label: user ? 'user-role' : 'agent-role',
    text: user ? texts.roles.user : texts.roles.agent,
  };
}

// show makes the children of parent be those of the items, in order. What has not changed stays the same element.
export function show(parent, items, make) {
  const keys = new Set(items.map((i) => i.key));
  for (const node of [...parent.children]) if (!keys.has(node.dataset.key)) node.remove();
  const have = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let at = parent.firstElementChild;
  for (const item of items) {
    const look = JSON.stringify(item);
    let node = have.get(item.key);
    if (!node || node.look !== look) {
      const fresh = make(item);
      fresh.dataset.key = item.key;
      fresh.look = look;
      if (node) node.replaceWith(fresh);
      if (node === at) at = node ? fresh : at;
      node = fresh;
    }
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
}

// makeItem makes an element of an item. again is called with a message that was not taken, to write it again.
export function makeItem(item, texts, again) {
  return makers[item.kind](item, texts, again);
}

const makers = {
  message(item, texts) {
    const look = roleLook(item.role, texts);
    const label = el('div', { className: 'label' }, el('span', { className: look.label }, look.text));
    if (item.at) label.append(el('time', { dateTime: item.at }, clock(item.at)));
    if (item.partial) label.append(el('span', { className: 'partial' }, texts.partial));
    const body = item.role === 'user' ? plain(item.text) : prose(item.text, item.live);
    const node = el('article', { className: 'message ' + look.message }, label, body);
    if (item.live) node.classList.add('live');
    return node;
  },
  aside(item) {
    const node = prose(item.text);
    node.classList.add('aside');
    return node;
  },
  notice(item) {
    const node = prose(item.text);
    node.classList.add('notice', 'notice-' + item.notice);
    return node;
  },
  call(item, texts) {
    const node = el('div', { className: 'call' }, el('span', { className: 'dot', ariaHidden: 'true' }), el('span', {}, item.label),
      el('span', { className: 'status' }, texts.calls[item.status]));
    node.dataset.status = item.status;
    return node;
  },
  thinking(item, texts) {
    return el('div', { className: 'thinking' }, el('span', { className: 'hidden' }, texts.thinking), el('i'), el('i'), el('i'));
  },
  pending(item, texts, again) {
    const notes = { sending: texts.sending, sent: texts.sent, waiting: texts.waiting, failed: item.note || texts.notTaken };
    const foot = el('div', { className: 'foot' }, notes[item.state]);
    if (item.state === 'failed') foot.append(el('button', { type: 'button', className: 'quiet', onclick: () => again(item) }, texts.again));
    const node = el('article', { className: 'pending-message' }, plain(item.text), foot);
    node.dataset.state = item.state;
    return node;
  },
};

function plain(text) {
  return el('div', { className: 'text' }, text);
}

function prose(text, growing = false) {
  return el('div', { className: 'prose' }, render(text, growing));
}

export function clock(at) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(document.documentElement.lang, today ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' });
}

// makeSession is one row of the list of sessions.
export function makeSession(item, texts, open) {
  const button = el('button', { type: 'button', onclick: () => open(item.session) }, el('span', { className: 'name' }, item.title || texts.untitled));
  if (item.current) button.setAttribute('aria-current', 'page');
  if (item.unread) button.append(el('span', { className: 'unread' }, el('span', { className: 'hidden' }, texts.unread)));
  return el('li', {}, button);
}

// QuestionPanel shows the open question. Keyboard focus starts on Cancel, goes around among its controls, and returns to where it
// was. It never answers by itself: only press, called with a token, does.
export class QuestionPanel {
  constructor(texts, press) {
    this.texts = texts;
    this.press = press;
    this.shown = null;
    $('deny').onclick = () => this.answer('deny');
    $('approve').onclick = () => this.answer('approve');
    $('question').addEventListener('keydown', (event) => this.keepFocus(event));
  }

  get open() {
    return !!this.shown;
  }

  show(question) {
    if (question?.approve.token === this.shown?.approve.token) return;
    this.shown = question || null;
    this.answered = false;
    $('question').hidden = !question;
    if (!question) return this.giveFocusBack();
    const body = $('question-body');
    body.replaceChildren(render(question.body));
    // A first line that is all bold is the question's own title.
    const own = body.querySelector(':scope > p:first-child > strong:only-child');
    const titled = own && own.textContent === own.parentNode.textContent;
    $('question-title').textContent = titled ? own.textContent : this.texts.question;
    if (titled) own.parentNode.remove();
    body.tabIndex = body.scrollHeight > body.clientHeight ? 0 : -1;
    $('question-until').textContent = this.texts.until.replace('{}', clock(question.expires));
    $('deny').textContent = question.deny.label;
    $('approve').textContent = question.approve.label;
    this.enable(true);
    this.before = document.activeElement;
    this.wantsFocus = true;
    this.takeFocus();
  }

  // takeFocus moves focus to Cancel, but not away from somebody who is writing: then when they pause.
  takeFocus() {
    const writing = $('input').value !== '' && Date.now() - (this.typed || 0) < 1500;
    if (!this.open || !this.wantsFocus) return;
    if (this.composing || writing) return setTimeout(() => this.takeFocus(), 500);
    this.wantsFocus = false;
    $('deny').focus();
  }

  giveFocusBack() {
    const inside = $('question').contains(document.activeElement) || document.activeElement === document.body;
    if (inside) (this.before?.isConnected && this.before !== document.body ? this.before : $('input')).focus();
    this.before = null;
  }

  answer(which) {
    if (!this.shown || this.answered) return;
    this.answered = true;
    this.enable(false);
    this.press(this.shown[which].token);
  }

  // retry makes the buttons work again, after the press could not be taken.
  retry() {
    if (!this.shown) return;
    this.answered = false;
    this.enable(true);
  }

  // enable uses aria-disabled, so that focus stays where it is.
  enable(on) {
    for (const id of ['deny', 'approve']) $(id).setAttribute('aria-disabled', String(!on));
  }

  keepFocus(event) {
    if (event.key !== 'Tab') return;
    const stops = [...$('question').querySelectorAll('[tabindex="0"], a, button')];
    const i = stops.indexOf(document.activeElement);
    const next = event.shiftKey ? (i <= 0 ? stops.length - 1 : i - 1) : (i + 1) % stops.length;
    stops[next].focus();
    event.preventDefault();
  }
}
