import type {Entries} from '../../core/domain/entries/entries.ts';
import type {Expectation} from '../../core/domain/entries/entry.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {readCount, readTtl} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {readValueAt, undoLines} from '../transfer/earlier-value.ts';
import {readExpected} from './put.ts';

/** `crewroom restore`: stores a value that an entry had, if the entry does not change meanwhile. */
export async function run(call: CallOf<'restore'>): Promise<CommandOutcome> {
  const {at, ttl} = call.flags;
  const [key = ''] = call.arguments;
  if (at === undefined) throw invalidUsage('restore', 'it needs --at REVISION; "crewroom history KEY" lists them');
  const earlier = readCount(at, {command: 'restore', flag: '--at'});
  const given = readExpected('restore', call.flags);
  const ttlSeconds = ttl === undefined ? undefined : readTtl(ttl, 'restore');
  const {entries} = (await connect(call)).client;
  const expected = given ?? (await readPresent(entries, key));
  const {json} = await readValueAt(entries, key, earlier);
  const {revision, etag, created} = await entries.put(key, json, {expected, ttlSeconds});
  return {
    json: {key, revision: String(revision), etag, created},
    lines: [
      `Restored at revision ${revision}`,
      ...(await undoLines(call, {entries, key, revision, what: created ? 'created' : 'stored'})),
    ],
  };
}

/** Reads no value: a corrupt entry can be restored. */
async function readPresent(entries: Entries, key: string): Promise<Expectation | undefined> {
  try {
    const [found] = (await entries.list({prefix: key, limit: 1})).entries;
    return found?.key === key ? found.revision : 'absent';
  } catch (error) {
    // In etcd its revision is damaged, too.
    if (error instanceof AppError && error.failure?.code === 'entry-corrupt')
      return error.failure.key === key ? undefined : 'absent';
    throw error;
  }
}
