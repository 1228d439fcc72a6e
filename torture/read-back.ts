import {createClient} from 'crewroom/client';
import type {LoggedChange, ReadEntry} from './history.ts';

/** Returns the revision of the last commit. */
export async function readRevision(url: string): Promise<number> {
  // A transaction without operations changes nothing, and its answer contains the revision.
  const {revision} = await createClient({baseUrl: url}).entries.transact({operations: []});
  return revision;
}

/** Reads all changes after a revision from the change log. No request may be in progress. */
export async function readChanges(url: string, after: number): Promise<readonly LoggedChange[]> {
  const changes: LoggedChange[] = [];
  const last = await readRevision(url);
  for (let reached = after; reached < last; ) {
    const response = await fetch(`${url}/api/events?after=${reached}&waitSeconds=1`);
    if (!response.ok) throw new Error(`Cannot read changes: ${await response.text()}`);
    const {events, cursor} = (await response.json()) as {
      readonly events: readonly LoggedChange[];
      readonly cursor: string;
    };
    changes.push(...events);
    reached = Number(cursor.split('-')[1]);
  }
  return changes;
}

/** Reads every entry with its value, through the client. */
export async function readEntries(url: string, prefix = ''): Promise<readonly ReadEntry[]> {
  const {entries} = createClient({baseUrl: url});
  const all: ReadEntry[] = [];
  for await (const {key, revision, text, expiresAtMs} of entries.listAll({prefix, values: true}))
    all.push({key, revision, text, expiresAtMs});
  return all;
}

/** Number of entries requested at once. */
const READS_AT_ONCE = 32;

/** Reads these entries with their values, one by one; absent ones are left out. */
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
