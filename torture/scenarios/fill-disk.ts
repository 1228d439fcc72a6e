import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {examine} from '../doctor.ts';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';
import {findMissingMount, mountSmallDisk} from '../small-disk.ts';
import {formatValue} from '../values.ts';

const run = promisify(execFile);

/** Free space at the start, in bytes: enough for the files of an empty store and some values. */
const ROOM_BYTES = 12 * 1024 * 1024;

const WRITERS = 4;
const KEYS = 60;

/** More writes than ever fit. */
const WRITES_MAX = 2000;

/** Number of writes that must succeed once there is free space again. */
const WRITES_AFTER = 20;

/** Limited disk space that can be freed again. */
interface LimitedSpace extends AsyncDisposable {
  readonly dataDir: string;
  /** True if the service can reserve space for large deletions; it cannot if its files may not grow. */
  readonly reservesSpace: boolean;
  /** Command that runs the service. */
  readonly under: readonly string[];
  /** Uses up the free space while no write is in progress. */
  fill(): Promise<void>;
  freeSpace(service: ServiceProcess): Promise<void>;
}

/** C5: no free space on the disk or within the file size limit, and then free space again. */
export const FILL_DISK: Scenario = {
  id: 'C5',
  name: 'Without free space it answers 507, keeps its entries, serves reads and deletions, and accepts writes once space is free again',
  rounds: {quick: 1, standard: 20},
  findMissing: async () => ((await canLimit()) ? undefined : await findMissingMount()),
  run: async context => {
    const {rounds, directory, report, count} = context;
    const canMount = (await findMissingMount()) === undefined;
    if (!canMount) report('without a full disk: no right to mount');
    for (let round = 1; round <= rounds; round++) {
      report(`round ${round} of ${rounds}`);
      if (canMount) {
        await using disk = await makeSmallDisk(join(directory, `disk-${round}`));
        await useUp(disk, round, context);
        count('full disks');
      }
      if (await canLimit()) {
        await useUp(limitFiles(join(directory, `limited-${round}`)), round, context);
        count('files that may not grow');
      }
    }
  },
};

async function canLimit(): Promise<boolean> {
  return run('prlimit', ['--version']).then(
    () => true,
    () => false,
  );
}

async function makeSmallDisk(path: string): Promise<LimitedSpace> {
  const disk = await mountSmallDisk(path, ROOM_BYTES);
  return {
    dataDir: join(path, 'data'),
    reservesSpace: true,
    under: [],
    fill: disk.fill,
    freeSpace: disk.grow,
    [Symbol.asyncDispose]: disk[Symbol.asyncDispose],
  };
}

function limitFiles(dataDir: string): LimitedSpace {
  return {
    dataDir,
    reservesSpace: false,
    under: ['prlimit', `--fsize=${ROOM_BYTES / 2}:unlimited`],
    fill: async () => {},
    freeSpace: async ({processId}) => {
      await run('prlimit', ['--pid', String(processId), '--fsize=unlimited']);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function useUp(space: LimitedSpace, round: number, context: ScenarioContext): Promise<void> {
  const {directory, signal, random: all} = context;
  const random = all.fork(`round ${round} ${space.under.join(' ')}`);
  using ledger = new Ledger(join(directory, `ledger-${round}.ndjson`));
  const writing: Writing = {ledger, random, count: context.count, present: new Map()};
  const service = await startService({dataDir: space.dataDir, under: space.under, signal});
  const {entries} = createClient({baseUrl: service.url, attemptsMax: 1});
  await writeSpread(entries, writing);
  // Either another program uses up the free space, or the values themselves do.
  const isFilled = round % 2 === 1;
  if (isFilled) for (let index = 0; index < WRITES_AFTER; index++) await write(entries, 0, writing);
  if (isFilled) await space.fill();
  await Promise.all(Array.from({length: WRITERS}, (_, writer) => writeUntilFull(entries, writer, writing)));
  await assertServed(entries, writing);
  await deleteSome(entries, writing);
  if (space.reservesSpace) await deleteSpread(entries, writing);
  await assertServed(entries, writing);
  await space.freeSpace(service);
  for (let index = 0; index < WRITES_AFTER; index++)
    if ((await write(entries, index % WRITERS, writing)) !== undefined)
      throw new LossError('space is free again, and a write still fails');
  await assertServed(entries, writing);
  await (random.chance(0.5) ? service.kill() : service.stop());
  await check(space.dataDir, ledger, signal);
}

interface Writing {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly count: ScenarioContext['count'];
  /** Acknowledged entries, by key. */
  readonly present: Map<string, string>;
}

async function writeUntilFull(entries: ClientEntries, writer: number, writing: Writing): Promise<void> {
  for (let index = 0; index < WRITES_MAX; index++) if ((await write(entries, writer, writing)) !== undefined) return;
  throw new LossError(`${WRITES_MAX} writes were acknowledged without free space for them`);
}

/** @returns The code of the failure, which must be the one for a full disk. */
async function write(entries: ClientEntries, writer: number, writing: Writing): Promise<string | undefined> {
  const {ledger, random, count, present} = writing;
  const key = `writer-${writer}/${random.integer(1, KEYS)}`;
  const text = formatValue(ledger.nextMark(), random.pick([10, 1000, 20_000, 60_000]));
  const attempt = ledger.send([{kind: 'put', key, text}]);
  try {
    ledger.acknowledge(attempt, await entries.put(key, Buffer.from(text)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {code} = error;
    if (code !== 'disk-full') throw new LossError(`without free space a write fails with ${code}: ${error.message}`);
    ledger.refuse(attempt, code);
    count('writes refused with 507');
    return code;
  }
  present.set(key, text);
  count('acknowledged writes');
  return undefined;
}

/**
 * Writes entries to so many pages that deleting some of each takes more new pages than earlier writes and deletions
 * left over, and fewer than the service reserves.
 */
const SPREAD_ENTRIES = 480;
const SPREAD_BYTES = 1000;
/** Each page has some entries that are deleted and some that stay. */
const DELETED_OF_SPREAD = 4;

async function writeSpread(entries: ClientEntries, {ledger, present}: Writing): Promise<void> {
  const changes = Array.from({length: SPREAD_ENTRIES}, (_, index) => {
    return {kind: 'put', key: `spread/${index}`, text: formatValue(ledger.nextMark(), SPREAD_BYTES)} as const;
  });
  const attempt = ledger.send(changes);
  const operations = changes.map(({kind, key, text}) => ({kind, key, value: Buffer.from(text)}));
  ledger.acknowledge(attempt, await entries.transact({operations}));
  for (const {key, text} of changes) present.set(key, text);
}

/** Deletes from all pages in one transaction, which needs more space before it frees any than a single deletion. */
async function deleteSpread(entries: ClientEntries, {ledger, present}: Writing): Promise<void> {
  const keys = [...present.keys()].filter(isSpread).sort();
  const operations = keys
    .filter((_, index) => index % DELETED_OF_SPREAD === 0)
    .map(key => ({kind: 'delete', key}) as const);
  const attempt = ledger.send(operations);
  try {
    ledger.acknowledge(attempt, await entries.transact({operations}));
  } catch (error) {
    throw new LossError(`without free space ${operations.length} entries could not be deleted`, {cause: error});
  }
  for (const {key} of operations) present.delete(key);
}

function isSpread(key: string): boolean {
  return key.startsWith('spread/');
}

async function deleteSome(entries: ClientEntries, {ledger, present}: Writing): Promise<void> {
  for (const key of [...present.keys()].filter(name => !isSpread(name)).slice(0, 10)) {
    const attempt = ledger.send([{kind: 'delete', key}]);
    await entries.delete(key);
    ledger.acknowledge(attempt);
    present.delete(key);
  }
}

async function assertServed(entries: ClientEntries, {present}: Writing): Promise<void> {
  for (const [key, text] of present)
    if ((await entries.get(key))?.text !== text) throw new LossError(`"${key}" differs from the acknowledged value`);
}

async function check(dataDir: string, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const service = await startService({dataDir, signal});
  const history = new History(ledger);
  history.follow(await readChanges(service.url, 0));
  history.endAttempts();
  const beganMs = Date.now();
  history.compare(await readEntries(service.url), {beganMs, endedMs: Date.now()});
  await service.stop();
  const {isProblem, complaints} = await examine(dataDir, {signal});
  if (isProblem) throw new LossError(`the doctor reports: ${complaints.join('; ')}`);
}
