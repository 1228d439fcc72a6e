import {cp} from 'node:fs/promises';
import {createClient} from 'crewroom/client';
import {formatPatch} from './effects.ts';
import type {ReadEntry} from './history.ts';
import type {Change, Ledger} from './ledger.ts';
import {readEntries, readRevision} from './read-back.ts';
import {type ServiceProcess, startService} from './service-process.ts';
import {formatValue} from './values.ts';

/** The entries of a store, and the revision of its last commit. */
export interface Content {
  readonly revision: number;
  readonly entries: readonly ReadEntry[];
}

/** An activity during which a service is killed. */
export interface Stage {
  readonly name: string;
  /** Prepares the data directory. @returns Its content. */
  readonly prepare: (dataDir: string) => Promise<Content>;
  /** Activity during the trace. Without it, the start of the service is traced. */
  readonly act?: (service: ServiceProcess, ledger: Ledger) => Promise<void>;
}

/** Parameters of all stages. */
export interface StageOptions {
  /** Directory for the stores with which the stages begin. */
  readonly baseDir: string;
  readonly signal: AbortSignal;
}

/** Returns all stages that change the disk: creation, opening, writes and closing of a store. */
export async function createStages(options: StageOptions): Promise<readonly Stage[]> {
  const content = await makeBase(options);
  const prepareBase = async (dataDir: string): Promise<Content> => {
    await cp(options.baseDir, dataDir, {recursive: true});
    return content;
  };
  const large = formatValue(1, 100_000);
  return [
    {name: 'the creation of a store', prepare: prepareNothing},
    {name: 'the first write', prepare: prepareNothing, act: writing([{kind: 'put', key: 'first', text: '1.0'}])},
    {name: 'the opening of a store', prepare: prepareBase},
    {name: 'a put', prepare: prepareBase, act: writing([{kind: 'put', key: 'base/1', text: '"new"'}])},
    {name: 'a put of a large value', prepare: prepareBase, act: writing([{kind: 'put', key: 'base/1', text: large}])},
    {name: 'a patch', prepare: prepareBase, act: writing([{kind: 'patch', key: 'base/2', mark: 77}])},
    {name: 'a deletion', prepare: prepareBase, act: writing([{kind: 'delete', key: 'base/3'}])},
    {name: 'a transaction', prepare: prepareBase, act: writing(manyChanges())},
    {name: 'a stop', prepare: prepareBase, act: stopping},
  ];
}

const BASE_ENTRIES = 60;

/** Creates a store by a service that is killed, so that the next start has work to do. */
async function makeBase({baseDir, signal}: StageOptions): Promise<Content> {
  const service = await startService({dataDir: baseDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  for (let mark = 1; mark <= BASE_ENTRIES; mark++)
    await entries.put(`base/${mark}`, Buffer.from(formatValue(mark, mark * 50)));
  for (let mark = 1; mark <= BASE_ENTRIES; mark += 7) await entries.delete(`base/${mark}`);
  await entries.put('base/1', Buffer.from(formatValue(1, 5000)), {ttlSeconds: 1_000_000});
  const content = {revision: await readRevision(service.url), entries: await readEntries(service.url)};
  await service.kill();
  return content;
}

async function prepareNothing(): Promise<Content> {
  return {revision: 0, entries: []};
}

/** Returns changes of all kinds, of entries that exist and entries that do not. */
function manyChanges(): readonly Change[] {
  const puts = Array.from({length: 30}, (_, index): Change => {
    return {kind: 'put', key: `base/${index + 20}`, text: formatValue(index, index * 100)};
  });
  return [
    ...puts,
    {kind: 'patch', key: 'base/2', mark: 78},
    {kind: 'delete', key: 'base/3'},
    {kind: 'put', key: 'new', text: '[1.0]', ttlSeconds: 1_000_000},
  ];
}

/** Applies these changes at once; a single one is also written as a transaction. */
function writing(changes: readonly Change[]): NonNullable<Stage['act']> {
  return async ({url}, ledger) => {
    const {entries} = createClient({baseUrl: url, attemptsMax: 1});
    const operations = changes.map(change => {
      if (change.kind === 'put') {
        const {kind, key, text, ttlSeconds} = change;
        return {kind, key, value: Buffer.from(text), ttlSeconds};
      }
      return change.kind === 'patch'
        ? {kind: change.kind, key: change.key, patch: Buffer.from(formatPatch(change.mark))}
        : change;
    });
    const attempt = ledger.send(changes);
    try {
      ledger.acknowledge(attempt, {revision: (await entries.transact({operations})).revision});
    } catch {
      ledger.lose(attempt);
    }
  };
}

async function stopping(service: ServiceProcess, ledger: Ledger): Promise<void> {
  await writing([{kind: 'put', key: 'last', text: '"before the stop"'}])(service, ledger);
  await service.stop();
}
