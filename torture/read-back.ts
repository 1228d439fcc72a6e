import {createClient} from 'crewroom/client';
import type {ReadEntry, Told} from './history.ts';

/** The revision of the last commit. */
export async function readRevision(url: string): Promise<number> {
  // A transaction without operations changes nothing, and tells.
  const {revision} = await createClient({baseUrl: url}).entries.transact({operations: []});
  return revision;
}

/** Everything that changed after a revision and up to now, from the change log. Nothing may be under way. */
export async function readChanges(url: string, since: number): Promise<readonly Told[]> {
  const changes: Told[] = [];
  const last = await readRevision(url);
  for (let cursor = since; cursor < last; ) {
    const response = await fetch(`${url}/api/events?since=${cursor}&wait=1`);
    if (!response.ok) throw new Error(`Cannot read changes: ${await response.text()}`);
    const {events, revision} = (await response.json()) as {readonly events: readonly Told[]; readonly revision: string};
    changes.push(...events);
    cursor = Number(revision);
  }
  return changes;
}

/** Every entry with its value, through the client. */
export async function readEntries(url: string, prefix = ''): Promise<readonly ReadEntry[]> {
  const {entries} = createClient({baseUrl: url});
  const all: ReadEntry[] = [];
  for await (const {key, revision, text, expiresAtMs} of entries.listAll({prefix, values: true}))
    all.push({key, revision, text, expiresAtMs});
  return all;
}

/** How many entries are asked for at once. */
const READS_AT_ONCE = 32;

/** These entries with their values, as far as they are there, one by one. */
export async function readEntriesOf(url: string, keys: readonly string[]): Promise<readonly ReadEntry[]> {
  const {entries} = createClient({baseUrl: url});
  const found: ReadEntry[] = [];
  const rest = [...keys];
  const read = async (): Promise<void> => {
    for (let key = rest.pop(); key !== undefined; key = rest.pop()) {
      const entry = await entries.get(key);
      if (entry !== undefined)
        found.push({key, revision: entry.revision, text: entry.text, expiresAtMs: entry.expiresAtMs});
    }
  };
  await Promise.all(Array.from({length: READS_AT_ONCE}, read));
  return found;
}
