// The search at the head of each page of the documentation.
import {findSections, openIndex} from './find.js';

const area = document.querySelector('search');
const input = area.querySelector('input');
const found = area.querySelector('.found');
area.hidden = false;

let loading;
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

/** Shows the sections that answer what is typed. */
async function show() {
  const index = await load();
  const question = input.value.trim();
  const sections = question === '' || index === undefined ? [] : findSections(index, question);
  const list = document.createElement('ul');
  list.append(...sections.map(formatSection));
  const nothing = document.createElement('p');
  nothing.textContent =
    index === undefined
      ? 'The search could not be loaded: is the service running?'
      : 'Nothing found: try fewer or other words';
  found.replaceChildren(...(question === '' ? [] : [sections.length > 0 ? list : nothing]));
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
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape' && area.contains(event.target)) {
    input.value = '';
    found.replaceChildren();
    input.blur();
  }
});
document.addEventListener('click', event => {
  if (!area.contains(event.target) || event.target.closest('a') !== null) found.replaceChildren();
});
