import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {History} from '../history.ts';
import {type Attempt, Ledger, type Reading} from '../ledger.ts';
import {runLoad} from '../load.ts';
import {LossError} from '../loss-error.ts';
import {type Operation, readOperations, TRACED_CALLS} from '../power-loss/operations.ts';
import {type Choose, type Image, imageAt} from '../power-loss/simulated-disk.ts';
import {checkSyncOrder, marksOf, sentRevisions} from '../power-loss/sync-order.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {runCommand, startService} from '../service-process.ts';
import {findMissingTracer, traceFromStart} from '../strace.ts';
import {verifyOnDisk} from '../verify-on-disk.ts';

const WRITERS = 4;
const ACKNOWLEDGEMENTS = 150;
const QUICK_ACKNOWLEDGEMENTS = 40;

/** Size of the largest write, in bytes: the first one to a file of the write-ahead log. */
const TEXT_BYTES = 2 * 1024 * 1024;

/** Disks write whole sectors. */
const SECTOR_BYTES = 512;

/** C3: an answered write is on the disk, not on its way there. */
export const LOSE_POWER: Scenario = {
  id: 'C3',
  name: 'When the power fails, every revision in an answer is synced; of later writes any part may be on the disk',
  rounds: {quick: 5, standard: 60},
  findMissing: findMissingTracer,
  run: async context => {
    const {random, rounds, directory, report, count} = context;
    const recorded = await recordRun(context);
    count('answers after their sync', checkSyncOrder(recorded.operations, marksOf(recorded.attempts)));
    await assertExplained(recorded);
    count('files that were reported as written', await checkReported(recorded));
    for (let round = 1; round <= rounds; round++) {
      report(`loss ${round} of ${rounds}`);
      const loss = round === 1 ? lossOfNewStore(recorded) : drawLoss(recorded, random.fork(`loss ${round}`));
      await checkLoss(recorded, loss, {directory: join(directory, 'after'), signal: context.signal});
      count('power losses');
      count(`of them ${loss.name}`);
    }
  },
};

/** The trace of a service under load. */
interface RecordedRun {
  /** A directory that existed before; the data directory and its parent did not. */
  readonly directory: string;
  readonly dataDir: string;
  readonly operations: readonly Operation[];
  /** Files of commands. */
  readonly reported: readonly Reported[];
  readonly attempts: readonly Attempt[];
}

async function recordRun({directory, random, quick, report, count, signal}: ScenarioContext): Promise<RecordedRun> {
  report('recording the system calls of the service');
  const place = join(directory, 'before');
  await mkdir(place);
  const dataDir = join(place, 'made', 'data');
  const output = join(directory, 'trace');
  const under = traceFromStart({calls: TRACED_CALLS, output, textBytes: TEXT_BYTES});
  const service = await startService({dataDir, under, signal});
  using ledger = new Ledger(join(directory, 'ledger.ndjson'));
  const ended = new AbortController();
  let rest = quick ? QUICK_ACKNOWLEDGEMENTS : ACKNOWLEDGEMENTS;
  const onAcknowledged = (): void => {
    count('acknowledged writes');
    if (--rest === 0) ended.abort();
  };
  await runLoad({url: service.url, ledger, random, writers: WRITERS, signal: ended.signal, onAcknowledged});
  const address = ['--port', String(service.port), '--data-dir', dataDir];
  await run(['token', 'create', 'a', '--permission', 'admin', ...address], signal);
  await run(['access', 'grant', 'com.a', 'admin', ...address], signal);
  const reported = await traceCommands(dataDir, service.port, {directory, signal});
  await service.kill();
  const operations = readOperations(await readFile(output, 'utf8'));
  return {directory: place, dataDir, operations, reported, attempts: [...ledger.open]};
}

/** A file that a command reported as written, and the trace of what wrote it. */
interface Reported {
  readonly path: string;
  /** A directory that existed before the trace. */
  readonly directory: string;
  readonly operations: readonly Operation[];
}

/** Saves an export, and a snapshot in a new directory, both under the tracer. */
async function traceCommands(
  dataDir: string,
  port: number,
  {directory, signal}: Pick<ScenarioContext, 'directory' | 'signal'>,
): Promise<readonly Reported[]> {
  const place = dirname(dataDir);
  const output = join(directory, 'trace-of-command');
  const under = traceFromStart({calls: TRACED_CALLS, output, textBytes: TEXT_BYTES});
  const trace = async (path: string, args: readonly string[]): Promise<Reported> => {
    await run([...args, '--json', '--port', String(port), '--data-dir', dataDir], signal, under);
    return {path, directory: place, operations: readOperations(await readFile(output, 'utf8'))};
  };
  const file = join(place, 'export.ndjson');
  return [
    await trace(file, ['export', file]),
    await trace(`${dataDir}-snapshots/one.ndjson`, ['snapshot', 'save', 'one']),
  ];
}

async function run(args: readonly string[], signal: AbortSignal, under: readonly string[] = []): Promise<void> {
  const {code, stderr} = await runCommand(args, {signal, under});
  if (code !== 0) throw new Error(`crewroom ${args[0]} failed: ${stderr}`);
}

/**
 * Asserts that files which were reported as written are whole if the power fails then and only synced data is on the disk.
 *
 * @returns Their number.
 */
async function checkReported({directory, dataDir, operations, reported}: RecordedRun): Promise<number> {
  const ofService = ['access-tokens.json', 'access-rules.json'].map(
    (name): Reported => ({path: join(dataDir, name), directory, operations}),
  );
  const all = [...ofService, ...reported];
  for (const {path, ...written} of all) {
    const image = imageAt(written.operations, {directory: written.directory, at: Infinity, choose: () => 'lost'});
    if (image.get(path)?.equals(await readFile(path)) !== true)
      throw new LossError(`${path} was reported as written, and is lost or not whole after a power failure`);
  }
  return all.length;
}

/**
 * Asserts that the trace explains the content of all files: otherwise the simulation differs from the service. Files
 * written through memory maps show nothing about a loss.
 */
async function assertExplained({directory, dataDir, operations}: RecordedRun): Promise<void> {
  const image = imageAt(operations, {directory, at: Infinity, choose: () => 'kept'});
  // The kill may come before a call that has begun.
  const ended = imageAt(operations, {directory, at: Infinity, choose: ({end}) => (end === Infinity ? 'lost' : 'kept')});
  for (const [path, content] of image) {
    if (content === undefined || path.endsWith('lock.mdb')) continue;
    if (!isMixOf(await readFile(path), [content, ended.get(path) ?? content]))
      throw new Error(`The trace does not explain the content of ${path}`);
  }
  if (!image.has(dataDir)) throw new Error(`The trace does not show how ${dataDir} was created`);
}

/** Returns whether each sector of a file is one of the sectors at its place. */
function isMixOf(file: Buffer, contents: readonly Buffer[]): boolean {
  const starts = Array.from({length: Math.ceil(file.length / SECTOR_BYTES)}, (_, sector) => sector * SECTOR_BYTES);
  const sectorAt = (bytes: Buffer, start: number): Buffer => bytes.subarray(start, start + SECTOR_BYTES);
  return (
    contents.some(({length}) => length === file.length) &&
    starts.every(start => contents.some(content => sectorAt(content, start).equals(sectorAt(file, start))))
  );
}

/** A power loss. */
interface Loss {
  readonly name: string;
  readonly at: number;
  readonly choose: Choose;
}

const NAMES_ONLY: Omit<Loss, 'at'> = {
  name: 'with names and no content on the disk',
  choose: ({kind}) => (kind === 'write' ? 'lost' : 'kept'),
};

/** The moment at which a new directory gets its format, and with it the promise that its store has content. */
function lossOfNewStore({operations}: RecordedRun): Loss {
  const named = operations.find(operation => operation.kind === 'rename' && operation.path.endsWith('/format.json'));
  if (named === undefined) throw new Error('The trace does not show how the directory got its format');
  return {at: named.begin + 1, ...NAMES_ONLY};
}

function drawLoss({operations}: RecordedRun, random: Random): Loss {
  const sent = sentRevisions(operations);
  // Mostly just when an answer begins to leave: a missing sync is the most likely to show.
  const at = random.chance(0.7)
    ? random.pick(sent).begin + 1
    : (operations[random.integer(0, operations.length - 1)]?.begin ?? 0);
  const kinds: readonly Omit<Loss, 'at'>[] = [
    {name: 'with only synced data on the disk', choose: () => 'lost'},
    {name: 'with everything on the disk', choose: () => 'kept'},
    {name: 'with any part on the disk', choose: () => random.pick(['kept', 'lost', 'torn'])},
    NAMES_ONLY,
  ];
  return {at, ...random.pick(kinds)};
}

interface CheckLossOptions {
  /** Directory in which the simulated disk is laid out. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

async function checkLoss(run: RecordedRun, {at, choose}: Loss, {directory, signal}: CheckLossOptions): Promise<void> {
  const image = imageAt(run.operations, {directory: run.directory, at, choose});
  await rm(directory, {recursive: true, force: true});
  await layOut(image, {from: run.directory, to: directory});
  const dataDir = run.dataDir.replace(run.directory, directory);
  const sent = sentRevisions(run.operations).filter(({begin}) => begin < at);
  const last = Math.max(0, ...sent.map(({revision}) => revision));
  const service = await startService({dataDir, signal});
  const history = new History(new AttemptsAt(run.attempts, last));
  const beganMs = Date.now();
  history.follow(await readChanges(service.url, 0));
  if (history.revision < last) throw new LossError(`Answered up to revision ${last} and kept ${history.revision}`);
  history.endAttempts();
  history.compare(await readEntries(service.url), {beganMs, endedMs: Date.now()});
  await service.stop();
  await verifyOnDisk(dataDir, {signal});
}

async function layOut(image: Image, {from, to}: {readonly from: string; readonly to: string}): Promise<void> {
  for (const [path, content] of [...image].sort(([a], [b]) => a.length - b.length)) {
    const place = path.replace(from, to);
    if (content === undefined) await mkdir(place, {recursive: true, mode: 0o700});
    else {
      await mkdir(dirname(place), {recursive: true, mode: 0o700});
      await writeFile(place, content, {mode: 0o600});
    }
  }
}

/** Returns the attempts as they were known at the power loss: acknowledged are those answered by then. */
class AttemptsAt {
  readonly #open: Set<Attempt>;

  constructor(attempts: readonly Attempt[], lastSent: number) {
    this.#open = new Set(
      attempts.map(attempt => {
        const isSent = attempt.state === 'acknowledged' && (attempt.revision ?? Infinity) <= lastSent;
        return isSent || attempt.state === 'refused' ? attempt : {...attempt, state: 'unknown'};
      }),
    );
  }

  get open(): Iterable<Attempt> {
    return this.#open;
  }

  close(attempt: Attempt): void {
    this.#open.delete(attempt);
  }

  takeReadings(): readonly Reading[] {
    return [];
  }
}
