import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {AppError, createClient} from 'crewroom/client';
import {createTransfer} from 'crewroom/client/transfer';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {checkContinuity} from '../continuity.ts';
import {compactNow, findMissingEngine, MEMBERS, startTwo} from '../engine.ts';
import {ClientFollower} from '../followers/client-follower.ts';
import {lastKey} from '../followers/follower.ts';
import {SseFollower} from '../followers/sse-follower.ts';
import {History, type LoggedChange} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {runLoad} from '../load.ts';
import {LossError} from '../loss-error.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

/** Number of writers at each service. */
const WRITERS = 3;

/** Entries that are larger together than what a service keeps in memory, so that each export reads the engine. The log has none. */
const FILLER_BYTES = 200_000;
const FILLERS = 180;
const FILLERS_AT_ONCE = 9;

/** Pause between two compactions, in milliseconds. */
const COMPACTION_MS = 300;

/** Exports and lists in a round. */
const READS = {quick: 2, standard: 24};

/** E2: the engine forgets old states under exports, lists and streams. */
export const COMPACT_ENGINE: Scenario = {
  id: 'E2',
  name: 'etcd is compacted under exports, lists, streams and writes: each is whole and of one state, or ends early',
  rounds: {quick: 1, standard: 5},
  findMissing: findMissingEngine,
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      await using cluster = await EtcdCluster.start(MEMBERS);
      await runRound(cluster, round, context);
      context.count('rounds');
    }
  },
};

async function runRound(cluster: EtcdCluster, round: number, context: ScenarioContext): Promise<void> {
  const {directory, signal, random, count} = context;
  const [first, second] = await startTwo(cluster, context, `${round}`);
  using ledger = new Ledger(join(directory, `ledger-${round}.ndjson`));
  const history = new History(ledger);
  await fill(first.url, ledger);
  const following = {prefix: '', random: random.fork(`followers ${round}`), signal};
  const followers = [
    new SseFollower({...following, url: first.url}),
    new ClientFollower({...following, url: second.url}),
  ];
  const followed = Promise.all(followers.map(follower => follower.run()));
  followed.catch(() => {});

  const ended = new AbortController();
  const load = Promise.all(
    [first, second].map(({url}, at) =>
      runLoad({
        ...{url, ledger, writers: WRITERS, firstWriter: at * WRITERS, signal: ended.signal, pauseMs: 5},
        random: random.fork(`load ${round} ${at}`),
        onAcknowledged: () => count('acknowledged writes'),
      }),
    ),
  );
  load.catch(() => {});
  const changes: LoggedChange[] = [];
  // Again and again, since the log keeps the newest changes only.
  const readLog = async (): Promise<void> => {
    changes.push(...(await readChanges(first.url, Number(changes.at(-1)?.revision ?? 0))));
  };
  let exports: readonly Exported[] = [];
  try {
    exports = await readAll({cluster, exporting: second.url, listing: first.url, ledger, readLog}, round, context);
  } finally {
    ended.abort();
    await load;
  }
  const {floor} = ledger;
  const last = ledger.send([{kind: 'put', key: lastKey(''), text: '"last"'}]);
  ledger.acknowledge(last, await createClient({baseUrl: first.url}).entries.put(lastKey(''), 'last'));
  await followed;
  await readLog();
  history.follow(changes);
  history.endAttempts();
  const beganMs = Date.now();
  history.compare(await readEntries(second.url), {beganMs, endedMs: Date.now()});
  // Entries may expire after the last write, and the subscribers have left by then.
  const end = changes.findIndex(({key}) => key === lastKey('')) + 1;
  for (const follower of followers) checkContinuity(follower, changes.slice(0, end));
  for (const exported of exports) checkExport(exported, changes);
  count('commits checked', floor);
  for (const {process} of [first, second]) await process.stop();
}

interface Reads {
  readonly cluster: EtcdCluster;
  /** Addresses of the services that are asked. */
  readonly exporting: string;
  readonly listing: string;
  readonly ledger: Ledger;
  /** Reads the changes since the last call. */
  readonly readLog: () => Promise<void>;
}

/** Exports and lists again and again, every other time under compactions. @returns The exports that are whole. */
async function readAll(
  {cluster, exporting, listing, ledger, readLog}: Reads,
  round: number,
  context: ScenarioContext,
): Promise<readonly Exported[]> {
  const {quick, rounds, report, count} = context;
  const exports: Exported[] = [];
  for (let read = 1; read <= (quick ? READS.quick : READS.standard); read++) {
    report(`round ${round} of ${rounds}, export and list ${read}`);
    const reading = new AbortController();
    const compactions = read % 2 === 0 ? undefined : compactUntil(cluster, reading.signal, context);
    compactions?.catch(() => {});
    const text = await exportFrom(exporting);
    count(text === undefined ? 'exports that ended early' : 'whole exports');
    if (text !== undefined) exports.push(readExport(text));
    await listFrom(listing, ledger);
    count('lists');
    reading.abort();
    await compactions;
    await readLog();
  }
  return exports;
}

async function fill(url: string, ledger: Ledger): Promise<void> {
  const {entries} = createClient({baseUrl: url});
  for (let at = 0; at < FILLERS; at += FILLERS_AT_ONCE) {
    const operations = Array.from({length: FILLERS_AT_ONCE}, (_, index) => {
      const json = `"${String(at + index).padEnd(FILLER_BYTES, '.')}"`;
      return {kind: 'put', key: `filler/${at + index}`, value: Buffer.from(json)} as const;
    });
    const attempt = ledger.send(operations.map(({kind, key, value}) => ({kind, key, text: value.toString()})));
    ledger.acknowledge(attempt, {revision: (await entries.transact({operations})).revision});
  }
}

async function compactUntil(cluster: EtcdCluster, signal: AbortSignal, {count}: ScenarioContext): Promise<void> {
  while (!signal.aborted) {
    if (await compactNow(cluster)) count('compactions');
    await delay(COMPACTION_MS);
  }
}

/** Exports all entries. @returns Undefined if it ended early, since the engine has dropped the state of the export. */
async function exportFrom(url: string): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of await createTransfer({baseUrl: url}).export()) parts.push(chunk);
  } catch (error) {
    // Before the first byte, and after it.
    const codes: readonly string[] = ['too-slow', 'unexpected-answer'];
    if (error instanceof AppError && codes.includes(error.code)) return undefined;
    throw error;
  }
  return Buffer.concat(parts).toString();
}

/** Lists all entries with their values, page by page; each page shows one moment. */
async function listFrom(url: string, ledger: Ledger): Promise<void> {
  const {entries} = createClient({baseUrl: url});
  let cursor: string | undefined;
  do {
    const {floor} = ledger;
    const page = await entries.list({values: true, ...(cursor === undefined ? {} : {after: cursor})});
    for (const {key, revision, text} of page.entries) {
      // The fillers do not change; all of them would take too much memory.
      if (!key.startsWith('filler/')) ledger.read({key, floor, seen: {revision, text}});
      else if (text.length !== FILLER_BYTES + 2) throw new LossError(`${key} has ${text.length} characters`);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** An export, with digests in place of values. */
interface Exported {
  readonly revision: number;
  readonly entries: readonly {readonly key: string; readonly revision: string; readonly digest: string}[];
}

function readExport(text: string): Exported {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const entries = lines.slice(0, -1).map(line => {
    const {key, revision, value} = JSON.parse(line) as {
      readonly key: string;
      readonly revision: string;
      readonly value: unknown;
    };
    return {key, revision, digest: digestOf(value)};
  });
  return {revision: Number((JSON.parse(head) as {readonly revision: string}).revision), entries};
}

/** Asserts that an export has exactly the entries of its revision. @throws {LossError} */
function checkExport({revision, entries}: Exported, changes: readonly LoggedChange[]): void {
  const present = new Map<string, LoggedChange>();
  for (const change of changes) {
    if (Number(change.revision) > revision) break;
    if (change.kind === 'entry-written') present.set(change.key, change);
    else present.delete(change.key);
  }
  for (const entry of entries) {
    const change = present.get(entry.key);
    const isSame = change?.value === undefined || digestOf(change.value) === entry.digest;
    if (change?.revision !== entry.revision || !isSame)
      throw new LossError(`The export of revision ${revision} has ${entry.key} of ${entry.revision}`);
    present.delete(entry.key);
  }
  for (const {key, expiresAt} of present.values())
    if (expiresAt === undefined) throw new LossError(`The export of revision ${revision} lacks ${key}`);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
