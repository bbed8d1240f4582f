// Markdown to DOM nodes. Nothing in the source is ever read as HTML: text becomes text nodes, and only the elements named below
// are made. Links go to http, https and mailto alone; images become links, so that nothing is fetched.

const maxDepth = 8;
const maxLabel = 500;
const maxURL = 2048;

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// render makes a fragment of a text. growing says that more text may follow: what is still open at the end counts as closed there.
export function render(source, growing = false) {
  const lines = source.replace(/\r\n?/g, '\n').replace(/^\t+/gm, (tabs) => '    '.repeat(tabs.length)).split('\n');
  const fragment = document.createDocumentFragment();
  fragment.append(...blocks(lines, 0, growing));
  return fragment;
}

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quote = /^ {0,3}> ?/;
const item = /^( *)([-*+]|\d{1,9}[.)])(?:( +)(.*)|)$/;
const divider = /^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

const blank = (line) => line.trim() === '';
const indent = (line) => line.length - line.trimStart().length;

function startsBlock(line) {
  return fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || item.test(line);
}

function blocks(lines, depth, growing) {
  const out = [];
  let i = 0;
  while (i < lines.length) {
    if (blank(lines[i])) {
      i++;
      continue;
    }
    const parse = depth < maxDepth && [code, title, line, quoted, list, table].find((p) => p.starts(lines, i));
    const [node, next] = (parse || paragraph)(lines, i, depth, growing);
    out.push(node);
    i = next;
  }
  return out;
}

// Each block parser takes the lines and where to begin, and returns a node and where to go on.

function code(lines, i) {
  const [, mark] = lines[i].match(fence);
  const strip = new RegExp(`^ {0,${indent(lines[i])}}`);
  const end = new RegExp(`^ {0,3}${mark[0] === '`' ? '`' : '~'}{${mark.length},}[ \\t]*$`);
  const body = [];
  for (i++; i < lines.length && !end.test(lines[i]); i++) body.push(lines[i].replace(strip, ''));
  return [el('pre', { tabIndex: 0 }, el('code', {}, body.join('\n'))), i + 1];
}
code.starts = (lines, i) => fence.test(lines[i]);

function title(lines, i, depth, growing) {
  const [, marks, text = ''] = lines[i].match(heading);
  return [el('h' + Math.min(6, marks.length + 2), {}, ...inline(text.trim(), 0, growing && i === lines.length - 1)), i + 1];
}
title.starts = (lines, i) => heading.test(lines[i]);

function line(lines, i) {
  return [el('hr'), i + 1];
}
line.starts = (lines, i) => rule.test(lines[i]);

function quoted(lines, i, depth, growing) {
  const inner = [];
  for (; i < lines.length && quote.test(lines[i]); i++) inner.push(lines[i].replace(quote, ''));
  return [el('blockquote', {}, ...blocks(inner, depth + 1, growing && i >= lines.length)), i];
}
quoted.starts = (lines, i) => quote.test(lines[i]);

function list(lines, i, depth, growing) {
  const [, space, first] = lines[i].match(item);
  const ordered = /\d/.test(first);
  const node = el(ordered ? 'ol' : 'ul');
  if (ordered) node.start = parseInt(first, 10);
  const items = [];
  let loose = false;
  while (i < lines.length) {
    const m = lines[i].match(item);
    if (!m || m[1].length > space.length + 1 || /\d/.test(m[2]) !== ordered || rule.test(lines[i])) break;
    const [body, next, gap] = itemBody(lines, i, m);
    items.push([body, next >= lines.length]);
    loose ||= gap && next < lines.length && item.test(lines[next]);
    i = next;
  }
  for (const [body, last] of items) {
    const inside = blocks(body, depth + 1, growing && last);
    const tight = !loose && inside.filter((n) => n.tagName === 'P').length === 1;
    node.append(el('li', {}, ...inside.flatMap((n) => (tight && n.tagName === 'P' ? [...n.childNodes] : [n]))));
  }
  return [node, i];
}
list.starts = (lines, i) => item.test(lines[i]) && !rule.test(lines[i]);

// itemBody collects the lines of one list item without their indent. gap says that a blank line follows it. In a chat a line
// that is not indented is no part of the item, and one without > is no part of a quote.
function itemBody(lines, i, m) {
  const width = m[1].length + 2; // models indent by two or more, whatever the marker is
  const strip = new RegExp(`^ {0,${m[1].length + m[2].length + (m[3] || ' ').length}}`);
  const body = [(m[4] || '').replace(/^\[([ xX])\] /, (all, x) => (x === ' ' ? '☐ ' : '☑ '))];
  let gap = false;
  for (i++; i < lines.length; i++) {
    if (blank(lines[i])) {
      gap = true;
      continue;
    }
    if (indent(lines[i]) < width) break;
    if (gap) body.push('');
    gap = false;
    body.push(lines[i].replace(strip, ''));
  }
  return [body, i, gap];
}

function table(lines, i, depth, growing) {
  const head = cells(lines[i]);
  const align = cells(lines[i + 1]).map((c) => (c.endsWith(':') ? (c.startsWith(':') ? 'center' : 'right') : 'left'));
  const row = (texts, tag) => {
    while (texts.length < head.length) texts.push('');
    return el('tr', {}, ...texts.map((text, n) => el(tag, { className: align[n] || '' }, ...inline(text, 0, growing))));
  };
  const body = el('tbody');
  const node = el('table', {}, el('thead', {}, row(head, 'th')), body);
  for (i += 2; i < lines.length && !blank(lines[i]) && lines[i].includes('|'); i++) body.append(row(cells(lines[i]), 'td'));
  return [el('div', { className: 'table', tabIndex: 0 }, node), i];
}
table.starts = (lines, i) =>
  lines[i].includes('|') && i + 1 < lines.length && lines[i + 1].includes('-') && divider.test(lines[i + 1]) &&
  cells(lines[i]).length === cells(lines[i + 1]).length;

function cells(text) {
  const out = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && text[i + 1] === '|') out[out.length - 1] += text[++i];
    else if (text[i] === '|') out.push('');
    else out[out.length - 1] += text[i];
  }
  if (blank(out[0])) out.shift();
  if (out.length && blank(out[out.length - 1])) out.pop();
  return out.map((c) => c.trim());
}

function paragraph(lines, i, depth, growing) {
  const text = [lines[i++].trim()];
  while (i < lines.length && !blank(lines[i]) && !startsBlock(lines[i]) && !table.starts(lines, i)) text.push(lines[i++].trim());
  return [el('p', {}, ...inline(text.join('\n'), 0, growing && i >= lines.length)), i];
}

const plain = /[^\\`*_~[!\nh]+|[^]/y;
const bare = /https?:\/\/[!#-;=?-Z\\\]^_a-{}~]+/y;
const word = /[\p{L}\p{N}]/u;

// inline makes nodes of the text inside a block.
function inline(text, depth, growing) {
  const out = [];
  const none = new Set(); // marks that have no end in the rest of the text
  let literal = '';
  const put = (node, next) => {
    if (literal) out.push(literal);
    literal = '';
    if (node) out.push(node);
    return next;
  };
  for (let i = 0; i < text.length; ) {
    const found = depth < maxDepth && special(text, i, depth, growing, none);
    if (found) {
      i = put(...found);
      continue;
    }
    plain.lastIndex = i;
    const [run] = plain.exec(text);
    literal += run;
    i += run.length;
  }
  put(null);
  return out;
}

// special returns the node that begins at i and where the text goes on after it; nothing if there is only text.
function special(text, i, depth, growing, none) {
  switch (text[i]) {
    case '\n':
      return [el('br'), i + 1];
    case '\\':
      return /[!-/:-@[-`{-~]/.test(text[i + 1] || '') && [text[i + 1], i + 2];
    case '`':
      return codeSpan(text, i, growing);
    case '*':
    case '_':
    case '~':
      return emphasis(text, i, depth, growing, none);
    case '!':
      return text[i + 1] === '[' && link(text, i + 1, depth);
    case '[':
      return link(text, i, depth);
    case 'h':
      return bareLink(text, i);
  }
}

function runLength(text, i) {
  let n = 1;
  while (text[i + n] === text[i]) n++;
  return n;
}

function codeSpan(text, i, growing) {
  const n = runLength(text, i);
  let end = i + n;
  while ((end = text.indexOf('`', end)) >= 0) {
    const m = runLength(text, end);
    if (m === n) break;
    end += m;
  }
  if (end < 0 && growing) end = text.length;
  if (end < 0) return [text.slice(i, i + n), i + n];
  const body = text.slice(i + n, end).replace(/\n/g, ' ').replace(/^ (.*[^ ].*) $/, '$1');
  return [body ? el('code', {}, body) : '', end + n];
}

const kinds = { '**': 'strong', __: 'strong', '*': 'em', _: 'em', '~~': 'del' };

function emphasis(text, i, depth, growing, none) {
  const c = text[i];
  const run = runLength(text, i);
  const mark = run >= 2 ? c + c : c;
  const begin = i + mark.length;
  if (!(mark in kinds) || (c === '_' && i > 0 && word.test(text[i - 1]))) return [c.repeat(run), i + run];
  if (growing && begin >= text.length) return ['', begin];
  if (/\s/.test(text[begin] || ' ')) return [c.repeat(run), i + run];
  let end = none.has(mark) ? -1 : closing(text, begin, mark);
  if (end < 0) none.add(mark);
  if (end < 0 && growing && mark.length === 2) end = text.length;
  if (end < 0) return [mark, begin];
  return [el(kinds[mark], {}, ...inline(text.slice(begin, end), depth + 1, growing && end >= text.length)), end + mark.length];
}

// closing finds where the text that a mark opened ends, or -1.
function closing(text, i, mark) {
  const c = mark[0];
  for (const begin = i; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '`') i = afterCode(text, i) - 1;
    else if (text[i] === c) {
      const run = runLength(text, i);
      const fits = mark.length === 2 ? run >= 2 : run !== 2;
      const after = text[i + run] || ' ';
      if (fits && i > begin && !/\s/.test(text[i - 1]) && !(c === '_' && word.test(after))) return i + run - mark.length;
      i += run - 1;
    }
  }
  return -1;
}

function afterCode(text, i) {
  const n = runLength(text, i);
  const end = text.indexOf('`'.repeat(n), i + n);
  return end < 0 ? i + n : end + n;
}

function link(text, i, depth) {
  const label = until(text, i + 1, '[', ']', maxLabel);
  if (label < 0 || text[label + 1] !== '(') return;
  const end = until(text, label + 2, '(', ')', maxURL);
  if (end < 0) return;
  const target = text.slice(label + 2, end).trim().replace(/\s+["'(][^]*$/, '');
  const inside = inline(text.slice(i + 1, label) || target, Math.max(depth + 1, maxDepth - 2), false).map((n) => (n.tagName === 'A' ? n.textContent : n));
  return [anchor(target, inside) || el('span', {}, ...inside, ` (${target})`), end + 1];
}

// until finds the bracket that closes the one before i, not further than max away; -1 if there is none.
function until(text, i, open, close, max) {
  const last = Math.min(text.length, i + max);
  for (let deep = 0; i < last; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === open) deep++;
    else if (text[i] === close && deep-- === 0) return i;
  }
  return -1;
}

function bareLink(text, i) {
  if (i > 0 && word.test(text[i - 1])) return;
  bare.lastIndex = i;
  const found = bare.exec(text.slice(0, i + maxURL));
  if (!found) return;
  let target = found[0].replace(/[.,;:!?'*_~\]]+$/, '');
  while (target.endsWith(')') && target.split('(').length < target.split(')').length) target = target.slice(0, -1);
  const node = anchor(target, [target]);
  return node && [node, i + target.length];
}

function anchor(target, children) {
  let url;
  try {
    url = new URL(target); // without a base: what is relative is no link
  } catch {
    return;
  }
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol) || url.username || url.password) return;
  return el('a', { href: url.href, rel: 'noopener noreferrer nofollow', target: '_blank', title: url.href }, ...children);
}
