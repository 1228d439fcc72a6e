import {once} from 'node:events';
import {cp, mkdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError, type Client, createClient, type FailureCode} from 'crewroom/client';
import {damageDirectory} from '../damage.ts';
import {type Examination, examine} from '../doctor.ts';
import {LossError} from '../history.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type Exit, type ServiceProcess, StartError, startService} from '../service-process.ts';
import {formatValue} from '../values.ts';

/** How many entries the directory has that is damaged: more than fit under one page of the tree. */
const ENTRIES = 160;

/** How many entries are written right before the service is killed. */
const LATE_ENTRIES = 12;

/** What stands in every value. */
const MARK = '"mark":';

/** How often a service that dies of what it reads is started again in one round. */
const DEATHS_MAX = 3;

/** How long an answer may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** With these a service may refuse to open a directory: each names what is wrong. */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'store-damaged',
  'data-directory-unusable',
  'data-format-unsupported',
]);

/** C6: bits flip, pages and files lose what was in them. */
export const DAMAGE_FILES: Scenario = {
  id: 'C6',
  name: 'With any file of its directory cut or damaged, it names what is wrong, serves what is good, and nothing wrong',
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
      const told = `round ${round}, ${good === killed ? 'killed' : 'closed'}: ${damage.file}, ${damage.what}`;
      report(`of ${rounds}, ${told}`);
      try {
        count(await judge({...good, dataDir: damaged}, signal));
      } catch (error) {
        if (error instanceof LossError) error.message = `${told}: ${error.message}`;
        throw error;
      }
      await rm(damaged, {recursive: true});
    }
  },
};

/** What an entry was when all was well, by its key. */
type Values = ReadonlyMap<string, string>;

/** A directory, and what is in it. */
interface Filled {
  readonly dataDir: string;
  readonly values: Values;
  /** What was written last before the service was killed: once damaged it cannot be told from a write that was cut short. */
  readonly last?: string;
}

/** Makes a directory with entries of all sizes, some of them to expire, and with a past. */
async function fill(dataDir: string, {random, signal}: Pick<ScenarioContext, 'random' | 'signal'>): Promise<Filled> {
  await mkdir(dataDir, {recursive: true});
  const service = await startService({dataDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  const values = new Map<string, string>();
  for (let index = 0; index < ENTRIES; index++) {
    const key = `plugin-${index % 7}/entry-${index}`;
    const text = formatValue(index, random.integer(0, index % 20 === 0 ? 40_000 : 1500));
    if (random.chance(0.3)) await entries.put(key, '"an earlier value"');
    await entries.put(key, text, random.chance(0.2) ? {ttlSeconds: 86_400} : {});
    values.set(key, text);
  }
  for (let index = 0; index < 20; index++) await entries.put(`gone/${index}`, formatValue(index, 1000));
  await entries.deleteRange({prefix: 'gone/'});
  await service.stop();
  return {dataDir, values};
}

/** Has some more written to a copy of a directory, one after the other, by a service that is killed right after the last answer. */
async function killAmidWrites(from: Filled, dataDir: string, signal: AbortSignal): Promise<Filled> {
  await cp(from.dataDir, dataDir, {recursive: true});
  const service = await startService({dataDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  const values = new Map(from.values);
  for (let index = 0; index < LATE_ENTRIES; index++) {
    const text = formatValue(ENTRIES + index, 100);
    await entries.put(`late/${index}`, text);
    values.set(`late/${index}`, text);
  }
  await service.kill();
  return {dataDir, values, last: `late/${LATE_ENTRIES - 1}`};
}

/** What became of the entries of a damaged directory. */
interface Remains {
  /** The code with which the service refused to open it. */
  readonly refused?: string;
  readonly good: readonly string[];
  /** Refused with a word that names them. */
  readonly named: readonly string[];
  /** Not found, or not readable since the service dies of it. */
  readonly missing: readonly string[];
  /** What the service said when it died. */
  readonly deaths: readonly string[];
}

/** @returns What to count. @throws {LossError} */
async function judge({dataDir, values, last}: Filled, signal: AbortSignal): Promise<string> {
  const examination = await examine(dataDir, {signal});
  const found = await readAll(dataDir, values, signal);
  const missing = found.missing.filter(key => key !== last);
  if (found.refused !== undefined) {
    assertTold(examination, `the service refuses to open it (${found.refused})`);
    return 'refused at opening';
  }
  if (found.good.length === 0) throw new LossError('no entry is left, and the service serves');
  for (const death of found.deaths) assertTold(examination, `the service dies: ${death}`);
  if (found.named.length > 0) assertTold(examination, `${found.named.length} entries are corrupt`);
  if (missing.length > 0) assertTold(examination, `entries are missing: ${missing.join(', ')}`);
  if (found.deaths.length > 0) return 'the service dies, and the doctor says why';
  if (missing.length > 0) return 'entries missing, and the doctor says so';
  if (found.named.length > 0) return 'entries named as corrupt';
  if (found.missing.length > 0) return 'the last write before a kill missing';
  return examination.complaints.length > 0 ? 'only the doctor sees it' : 'nothing of value was hit';
}

function assertTold({isProblem, complaints}: Examination, what: string): void {
  if (!isProblem)
    throw new LossError(`${what}, and the doctor tells of no problem (${complaints.join('; ') || 'nothing'})`);
}

/** Reads every entry and lists them, with another service wherever one dies of it. */
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
      if (error instanceof LossError) error.message += `\n${service.said()}`;
      throw error;
    }
    await service.stop();
  }
  return remains;
}

/** Starts a service. @returns Where it refuses, the code. */
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

/** What was found of the entries so far, by their keys. */
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
    if (failure.code === 'entry-corrupt' && failure.key === key) return named.push(key);
    if (failure.code !== 'service-unreachable')
      throw new LossError(`reading "${key}" fails otherwise: ${error.message}`);
    missing.push(key);
    return 'gone';
  }
}

/** Lists everything: all that is good has to be there, or the failure has to say that something is not. */
async function list({entries}: Client, values: Values, {good}: Found): Promise<unknown> {
  const listed = new Map<string, string>();
  try {
    for await (const {key, text} of entries.listAll({values: true})) listed.set(key, text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {code} = error.failure;
    if (code === 'service-unreachable') return 'gone';
    if (code !== 'entry-corrupt' && code !== 'store-corrupt')
      throw new LossError(`listing fails otherwise: ${error.message}`);
    return undefined;
  }
  const lost = good.find(key => listed.get(key) !== values.get(key));
  if (lost !== undefined) throw new LossError(`"${lost}" can be read, and is not listed as it is`);
  return undefined;
}

function describeEnd({signal, code, stderr}: Exit): string {
  return `${signal ?? `exit code ${code}`}: ${stderr.trim().split('\n').at(-1)}`;
}

/** @throws {LossError} When it does not end though it broke a connection. */
async function endOf(service: ServiceProcess): Promise<Exit> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const ended = await Promise.race([service.exited, once(late, 'abort').then(() => undefined)]);
  if (ended === undefined) throw new LossError('the service breaks a connection, and runs on');
  return ended;
}
