import './style.css';
import type {IdentityDocument} from 'crewroom/client';
import {id} from '../../plugin.json';

/** The key under which the store keeps the choice of units. */
const KEY = encodeURIComponent(`${id}/units`);
const UNITS = `/api/store/${KEY}`;

const units = element<HTMLSelectElement>('units');
const saved = element<HTMLOutputElement>('saved');

function element<T extends HTMLElement>(name: string): T {
  const found = document.getElementById(name);
  if (found === null) throw new Error(`index.html has no element "${name}"`);
  return found as T;
}

/** Reads a JSON answer; undefined if the service has none. */
async function read<T>(path: string): Promise<T | undefined> {
  const response = await fetch(path);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

async function show(): Promise<void> {
  const greeting = await read<{readonly text: string}>(`/api/${id}/greeting`);
  const pilot = await read<IdentityDocument>('/api/identity');
  element('greeting').textContent = greeting?.text ?? 'No pilot is signed in';
  if (pilot !== undefined)
    element('pilot').textContent =
      `${pilot.va_user.rank} ${pilot.va_user.pilotID}, ${pilot.airline.settings.airlineName}`;
  // A list is empty as long as nothing was chosen; the entry itself would not be found.
  const chosen = await read<{readonly entries: readonly {readonly value: string}[]}>(
    `/api/keys?prefix=${KEY}&values=true`,
  );
  units.value = chosen?.entries[0]?.value ?? 'kg';
}

units.addEventListener('change', async () => {
  const {ok} = await fetch(UNITS, {method: 'POST', body: JSON.stringify(units.value)});
  saved.value = ok ? 'kept' : 'not kept';
});

// The client passes its colours in the query: darkmode, forecolor and backcolor.
const colors = new URLSearchParams(location.search);
document.documentElement.classList.toggle('dark', colors.get('darkmode') === 'true');
document.documentElement.style.setProperty('--accent', colors.get('backcolor') ?? '#C00000');

await show();
