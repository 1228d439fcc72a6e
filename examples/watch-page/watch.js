// Keeps the table of the page equal to the store. See index.html for how to run it.
import {createClient} from 'crewroom/client';

const parameters = new URLSearchParams(location.search);
const client = createClient({baseUrl: parameters.get('service') ?? 'http://localhost:7172'});
const connection = document.querySelector('#connection');
const table = document.querySelector('#entries');
const rows = new Map();

const events = client.events({
  prefix: parameters.get('prefix') ?? '',
  initial: true,
  onConnection: ({kind}) => {
    connection.textContent = kind;
  },
});
try {
  for await (const event of events) {
    if (event.kind === 'entry-written') show(event.key, event.text ?? `${event.sizeBytes} bytes`);
    else if (event.kind === 'entry-deleted' || event.kind === 'entry-expired') hide(event.key);
    // The missed changes are no longer available; all present entries follow.
    else if (event.kind === 'reset') for (const key of rows.keys()) hide(key);
  }
} catch (error) {
  // A retry would not help, for example with an invalid prefix.
  connection.textContent = error.message;
}

function show(key, text) {
  const row = rows.get(key) ?? table.insertRow();
  rows.set(key, row);
  // As text, not HTML: any client may write values.
  row.replaceChildren(cell(key), cell(text));
}

function hide(key) {
  rows.get(key)?.remove();
  rows.delete(key);
}

function cell(text) {
  const element = document.createElement('td');
  element.textContent = text;
  return element;
}
