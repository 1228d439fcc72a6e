// The search at the head of each page of the documentation.
import {addCopyButtons} from './copy.js';
import {findSections, openIndex} from './find.js';

const area = document.querySelector('search');
const input = area.querySelector('input');
const found = area.querySelector('.found');
area.hidden = false;
addCopyButtons();

let loading;
/** The index, once it is loaded. */
let index;
/** Loads the index, once. Resolves with undefined if it cannot be loaded: the next call tries again. */
const load = () => {
  loading ??= fetch('/docs/search.json')
    .then(answer => (answer.ok ? answer.text() : Promise.reject(new Error(`status ${answer.status}`))))
    .then(openIndex)
    .catch(() => {
      loading = undefined;
    });
  return loading;
};

// The user may have switched keys without Ctrl off, in the settings of the console, which only that may read in strict mode.
fetch('/api/settings/core')
  .then(answer => (answer.ok ? answer.json() : {}))
  .then(({plainKeys}) => {
    if (plainKeys === true) input.setAttribute('aria-keyshortcuts', '/');
  })
  .catch(() => {});

/** Shows the sections that answer what is typed. */
async function show() {
  const question = input.value.trim();
  if (index === undefined && question !== '') fill([], 'Loading…');
  index = await load();
  if (question !== input.value.trim()) return;
  if (question === '') return fill([], '');
  if (index === undefined) return fill([], 'The search could not be loaded: is the service running?');
  const sections = findSections(index, question);
  fill(sections, sections.length > 0 ? `${sections.length} found` : 'Nothing found: try fewer or other words');
}

/** Shows sections, and says how many there are also to people who do not see them. */
function fill(sections, text) {
  found.querySelector('ul').replaceChildren(...sections.map(formatSection));
  const said = found.querySelector('p');
  if (said.textContent !== text) said.textContent = text;
}

/** Moves by one of the field and the results, in their order. */
function move(by) {
  const places = [input, ...found.querySelectorAll('a')];
  const place = places.indexOf(document.activeElement) + by;
  places[Math.min(places.length - 1, Math.max(0, place))].focus();
}

function formatSection({address, page, heading}) {
  const link = document.createElement('a');
  link.href = address;
  link.textContent = page;
  if (heading !== '') {
    const part = document.createElement('span');
    part.textContent = heading;
    link.append(part);
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

input.addEventListener('focus', load);
input.addEventListener('input', show);
input.addEventListener('keydown', event => {
  if (event.key === 'Enter') found.querySelector('a')?.click();
});
document.addEventListener('keydown', event => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]') !== null;
  const key = input.getAttribute('aria-keyshortcuts');
  if (event.key === key && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape' && area.contains(event.target)) {
    input.value = '';
    fill([], '');
    input.focus();
  }
  if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && area.contains(event.target)) {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  }
});
document.addEventListener('click', event => {
  if (!area.contains(event.target) || event.target.closest('a') !== null) fill([], '');
});
