import {once} from 'node:events';
import {cp, mkdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError, type Client, createClient, type FailureCode} from 'crewroom/client';
import {type Damage, damageDirectory, PAGE_BYTES} from '../damage.ts';
import {type Examination, examine} from '../doctor.ts';
import {LossError} from '../loss-error.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type Exit, runCommand, type ServiceProcess, StartError, startService} from '../service-process.ts';
import {formatValue} from '../values.ts';

/** Number of entries in the damaged directory: more than one page of the tree can index. */
const ENTRIES = 160;

/** Number of entries written right before the kill. */
const LATE_ENTRIES = 12;

/** Text that every value contains. */
const MARK = '"mark":';

/** Maximum number of restarts in one round of a service that crashes on a read. */
const DEATHS_MAX = 3;

/** Maximum wait for an answer, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Codes with which a service may refuse to open a directory: each names the problem. */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'store-corrupt',
  'data-directory-unusable',
  'data-format-unsupported',
]);

/** C6: flipped bits, lost pages and truncated files. */
export const DAMAGE_FILES: Scenario = {
  id: 'C6',
  name: 'With any file of its directory truncated or damaged, it reports the problem, serves intact entries, and no wrong one; a damaged log costs one commit at most',
  rounds: {quick: 6, standard: 300},
  run: async context => {
    const {random, rounds, directory, report, count, signal} = context;
    const closed = await fill(join(directory, 'closed'), {random, signal});
    const killed = await killAmidWrites(closed, join(directory, 'killed'), signal);
    for (let round = 1; round <= rounds; round++) {
      const damaged = join(directory, `round-${round}`);
      const chance = random.fork(`round ${round}`);
      const good = chance.pick([closed, killed]);
      await cp(good.dataDir, damaged, {recursive: true, preserveTimestamps: true});
      const damage = await damageDirectory(damaged, MARK, chance);
      const title = `round ${round}, ${good === killed ? 'killed' : 'closed'}: ${damage.file}, ${damage.what}`;
      report(`of ${rounds}, ${title}`);
      try {
        count(await check({...good, dataDir: damaged}, {...damage, logEnd: await findLogEnd(good.dataDir)}, signal));
      } catch (error) {
        if (error instanceof LossError) error.message = `${title}: ${error.message}`;
        throw error;
      }
      await rm(damaged, {recursive: true});
    }
  },
};

/** The intact entries, by key. */
type Values = ReadonlyMap<string, string>;

/** A directory and its content. */
interface Filled {
  readonly dataDir: string;
  readonly values: Values;
}

/** Creates a directory with entries of all sizes, some with a time to live, and with older changes. */
async function fill(dataDir: string, {random, signal}: Pick<ScenarioContext, 'random' | 'signal'>): Promise<Filled> {
  await mkdir(dataDir, {recursive: true});
  const service = await startService({dataDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  const values = new Map<string, string>();
  for (let index = 0; index < ENTRIES; index++) {
    const key = `plugin-${index % 7}/entry-${index}`;
    const text = formatValue(index, random.integer(0, index % 20 === 0 ? 40_000 : 1500));
    if (random.chance(0.3)) await entries.put(key, 'an earlier value');
    await entries.put(key, Buffer.from(text), random.chance(0.2) ? {ttlSeconds: 86_400} : {});
    values.set(key, text);
  }
  for (let index = 0; index < 20; index++) await entries.put(`gone/${index}`, Buffer.from(formatValue(index, 1000)));
  await entries.deleteRange({prefix: 'gone/'});
  await service.stop();
  return {dataDir, values};
}

/**
 * Adds entries to a copy of a directory, one after the other, by a service that is killed right after the last answer.
 */
async function killAmidWrites(from: Filled, dataDir: string, signal: AbortSignal): Promise<Filled> {
  await cp(from.dataDir, dataDir, {recursive: true});
  const service = await startService({dataDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  const values = new Map(from.values);
  for (let index = 0; index < LATE_ENTRIES; index++) {
    const text = formatValue(ENTRIES + index, 100);
    await entries.put(`late/${index}`, Buffer.from(text));
    values.set(`late/${index}`, text);
  }
  await service.kill();
  return {dataDir, values};
}

/** The entries of a damaged directory. */
interface Remains {
  /** Code with which the service refused to open it. */
  readonly refused?: string;
  readonly good: readonly string[];
  /** Refused with a failure that names them. */
  readonly named: readonly string[];
  /** Not found, or not readable because the service crashes. */
  readonly missing: readonly string[];
  /** Message of the service when it crashed. */
  readonly deaths: readonly string[];
}

/** @returns What to count. @throws {LossError} If the damage was not reported. */
async function check({dataDir, values}: Filled, damage: LogDamage, signal: AbortSignal): Promise<string> {
  const examination = await examine(dataDir, {signal});
  const found = await readAll(dataDir, values, signal);
  const {missing} = found;
  if (found.refused !== undefined) {
    assertReported(examination, `the service refuses to open it (${found.refused})`);
    if (!damage.file.startsWith(LOG)) return 'refused at opening';
    const isBehind = damage.file !== `${LOG}0` || damage.from >= damage.logEnd + SECTOR_BYTES;
    if (isBehind) throw new LossError('the service refuses to open it, and no commit can have been there');
    return recover({dataDir, values}, damage, signal);
  }
  if (found.good.length === 0) throw new LossError('no entry is left, and the service runs');
  for (const death of found.deaths) assertReported(examination, `the service crashes: ${death}`);
  if (found.named.length > 0) assertReported(examination, `${found.named.length} entries are corrupt`);
  if (missing.length > 0) assertReported(examination, `entries are missing: ${missing.join(', ')}`);
  if (found.deaths.length > 0) return 'crashes that the doctor explains';
  if (missing.length > 0) return 'missing entries that the doctor reports';
  if (found.named.length > 0) return 'entries reported as corrupt';
  return examination.complaints.length > 0 ? 'damage that only the doctor reports' : 'damage without effect';
}

/** Path of the files of the write-ahead log, without their numbers. */
const LOG = 'store/wal-';

const SECTOR_BYTES = 512;

interface LogDamage extends Damage {
  /** Position in the first file of the log at which the next record would begin. */
  readonly logEnd: number;
}

/** Finds where the next record would begin: behind the last page that has one. All of the late entries are in the first file. */
async function findLogEnd(dataDir: string): Promise<number> {
  const bytes = await readFile(join(dataDir, `${LOG}0`)).catch(() => Buffer.alloc(0));
  // Every record has one page.
  return bytes.lastIndexOf('CRW2') === -1 ? 0 : Math.ceil(bytes.lastIndexOf('CRW2') / PAGE_BYTES) * PAGE_BYTES;
}

/** Recovers a store with a damaged log as its failure advises. @throws {LossError} If that loses a commit that is not damaged. */
async function recover({dataDir, values}: Filled, {from, to}: LogDamage, signal: AbortSignal): Promise<string> {
  const rest = join(dataDir, 'rest.ndjson');
  const {code, stderr} = await runCommand(['recover', rest, '--yes', '--json', '--data-dir', dataDir], {signal});
  if (code !== 0) throw new LossError(`the store cannot be recovered: ${stderr}`);
  const saved = await readFile(rest, 'utf8').catch(() => '');
  const {refused, missing} = await readAll(dataDir, values, signal);
  if (refused !== undefined) throw new LossError(`the recovered store is refused (${refused})`);
  const lost = missing.filter(key => !saved.includes(`"value":${values.get(key)}}\n`));
  const pages = Math.floor((to - 1) / PAGE_BYTES) - Math.floor(from / PAGE_BYTES) + 1;
  if (lost.length > pages)
    throw new LossError(`${pages} pages were damaged, and these entries are lost: ${lost.join(', ')}`);
  return lost.length > 0 ? 'recovered without the damaged commits' : 'recovered whole';
}

function assertReported({isProblem, complaints}: Examination, what: string): void {
  if (!isProblem)
    throw new LossError(`${what}, and the doctor reports no problem (${complaints.join('; ') || 'nothing'})`);
}

/** Reads every entry and lists all, with a new service after each crash. */
async function readAll(dataDir: string, values: Values, signal: AbortSignal): Promise<Remains> {
  const remains = {good: [] as string[], named: [] as string[], missing: [] as string[], deaths: [] as string[]};
  const steps = [...[...values.keys()].map(key => (client: Client) => readOne(client, key, values, remains)), list];
  while (steps.length > 0 && remains.deaths.length < DEATHS_MAX) {
    const service = await open(dataDir, signal);
    if (typeof service === 'string') return {...remains, refused: service};
    const client = createClient({baseUrl: service.url, attemptsMax: 1, timeoutMs: TIMEOUT_MS});
    try {
      for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
        if ((await step(client, values, remains)) !== 'gone') continue;
        remains.deaths.push(describeEnd(await endOf(service)));
        break;
      }
    } catch (error) {
      if (error instanceof LossError) error.message += `\n${service.output()}`;
      throw error;
    }
    await service.stop();
  }
  return remains;
}

/** Starts a service. @returns The code if it refuses. */
async function open(dataDir: string, signal: AbortSignal): Promise<ServiceProcess | string> {
  try {
    return await startService({dataDir, signal});
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const code = codeIn(error.exit.stderr);
    if (code === undefined || !REFUSALS.has(code)) throw new LossError(`the service does not start: ${error.message}`);
    return code;
  }
}

function codeIn(stderr: string): string | undefined {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return /"code":"([^"]+)"/.exec(line)?.[1];
}

/** The entries found so far, by key. */
interface Found {
  readonly good: string[];
  readonly named: string[];
  readonly missing: string[];
}

async function readOne(
  {entries}: Client,
  key: string,
  values: Values,
  {good, named, missing}: Found,
): Promise<unknown> {
  try {
    const entry = await entries.get(key);
    if (entry === undefined) return missing.push(key);
    if (entry.text !== values.get(key)) throw new LossError(`a wrong value is served for "${key}"`);
    return good.push(key);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {failure} = error;
    if (failure?.code === 'entry-corrupt' && failure.key === key) return named.push(key);
    if (failure?.code !== 'service-unreachable')
      throw new LossError(`reading "${key}" fails with another failure: ${error.message}`);
    missing.push(key);
    return 'gone';
  }
}

/** Lists everything: all intact entries must be listed, or the failure must name the damage. */
async function list({entries}: Client, values: Values, {good}: Found): Promise<unknown> {
  const listed = new Map<string, string>();
  try {
    for await (const {key, text} of entries.listAll({values: true})) listed.set(key, text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {code} = error;
    if (code === 'service-unreachable') return 'gone';
    if (code !== 'entry-corrupt' && code !== 'store-corrupt')
      throw new LossError(`listing fails with another failure: ${error.message}`);
    return undefined;
  }
  const lost = good.find(key => listed.get(key) !== values.get(key));
  if (lost !== undefined) throw new LossError(`"${lost}" can be read, and the list does not show it`);
  return undefined;
}

function describeEnd({signal, code, stderr}: Exit): string {
  return `${signal ?? `exit code ${code}`}: ${stderr.trim().split('\n').at(-1)}`;
}

/** @throws {LossError} If it keeps running although it broke a connection. */
async function endOf(service: ServiceProcess): Promise<Exit> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const ended = await Promise.race([service.exited, once(late, 'abort').then(() => undefined)]);
  if (ended === undefined) throw new LossError('the service breaks a connection and keeps running');
  return ended;
}
