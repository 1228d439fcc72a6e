import type {Imported} from '../../domain/transfer.ts';
import {jsonLine} from '../terminal/escape.ts';

/** A number for people, with a comma before every third digit. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** So many entries, for people. */
export function formatEntries(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
}

/** What became of an import, for people: `1,000 entries: 900 created, 100 replaced, 3 others deleted`. */
export function formatImported({entries, created, replaced, expired, deleted}: Imported): string {
  const parts = [
    [created, 'created'],
    [replaced, 'replaced'],
    [expired, 'left out since they expired'],
    [deleted, deleted === 1 ? 'other deleted' : 'others deleted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  return shown.length === 0 ? formatEntries(entries) : `${formatEntries(entries)}: ${shown.join(', ')}`;
}

/** What an import tells programs: as the service answers. */
export function importedJson({revision, ...imported}: Imported): string {
  return jsonLine({...imported, revision: String(revision)});
}
