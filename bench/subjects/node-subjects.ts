import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {KEY, type RequestTemplate, valueTemplate} from '../generator/template.ts';
import {readFirstLine, startServer} from '../process.ts';
import {type Dialect, type RunningSubject, type SubjectKind, TRANSACTION_PUTS, VALUE_BYTES} from './subject.ts';

/** Requests to Crewroom, and to the subjects with the same interface. */
export const CREWROOM_DIALECT: Required<Dialect> = {
  sizes: ['small', 'large'],
  get: size => ({method: 'GET', path: pathOf(size)}),
  put: size => ({method: 'POST', path: pathOf(size), body: valueTemplate(VALUE_BYTES[size])}),
  identity: () => ({method: 'GET', path: '/api/identity'}),
  list: () => ({method: 'GET', path: '/api/keys?prefix=bench%2F&limit=1000'}),
  transaction,
};

const {identity: _, ...storeDialect} = CREWROOM_DIALECT;

/** The requests that concern the store. */
export const STORE_DIALECT: Dialect = storeDialect;

/** The service itself. */
export const CREWROOM: SubjectKind = {
  name: 'crewroom',
  ours: true,
  description: 'the service, embedded, with all its rules',
  durability: 'synced before the answer',
  dialect: CREWROOM_DIALECT,
  start: ({directory}) =>
    startNode('./crewroom.js', [directory], {directory, version: versionOf('../../package.json')}),
};

/** Background of a plugin: one whose routes answer at once, and that does nothing else, never returns, or logs 10,000 lines a second. */
export type MeasuredBackground = 'idle' | 'fetching' | 'spinning' | 'logging';

/** Returns the service with a plugin for each of these backgrounds. */
export function crewroomWith(name: string, backgrounds: readonly MeasuredBackground[]): SubjectKind {
  return {
    ...CREWROOM,
    name,
    description: 'the service, embedded, with plugins',
    start: async ({directory}) => (await startServiceWith(backgrounds, directory)).running,
  };
}

/** Starts the service with plugins, and returns the times until all of their routes answered: from the start, and from the first calls on, in milliseconds. */
export async function startServiceWith(
  backgrounds: readonly MeasuredBackground[],
  directory: string,
): Promise<{readonly running: RunningSubject; readonly answeredMs: number; readonly firstCallMs: number}> {
  const version = versionOf('../../package.json');
  const [running, answeredMs, firstCallMs] = await startAndRead('./crewroom-plugins.js', [directory, ...backgrounds], {
    directory,
    version,
  });
  return {running, answeredMs: Number(answeredMs), firstCallMs: Number(firstCallMs)};
}

/** The service in two modes of access, in one process, with the tokens of the owner and of a program for the mode `strict`. */
export async function startModes(
  directory: string,
): Promise<{readonly open: RunningSubject; readonly strict: RunningSubject; readonly tokens: readonly string[]}> {
  const version = versionOf('../../package.json');
  const [open, ...more] = await startAndRead('./crewroom-access.js', [directory], {directory, version});
  const [url = '', ...tokens] = more;
  return {open, strict: {...open, url}, tokens};
}

/** The reference of all ratios. */
export const BARE: SubjectKind = {
  name: 'bare node:http',
  ours: true,
  description: 'reads and answers the same bytes, and does nothing else: the limit of the platform',
  durability: 'stores nothing',
  dialect: CREWROOM_DIALECT,
  start: ({directory, answersFile}) => startNode('./bare.js', [answersFile], {directory, version: process.version}),
};

/** The engine without the rules. */
export const BARE_LMDB: SubjectKind = {
  name: 'node:http + LMDB',
  ours: true,
  description: 'the engine behind HTTP with no rules, no revisions, no events: the limit of the engine',
  durability: 'synced before the answer',
  dialect: STORE_DIALECT,
  start: ({directory}) =>
    startNode('./lmdb.js', [directory], {directory, version: versionOf('../../node_modules/lmdb/package.json')}),
};

/** Starts one of our servers, which prints its address. */
async function startNode(...start: Parameters<typeof startAndRead>): Promise<RunningSubject> {
  const [running] = await startAndRead(...start);
  return running;
}

/** Starts one of our servers, and returns what it prints after its address too. */
async function startAndRead(
  script: string,
  args: readonly string[],
  {directory, version}: {readonly directory: string; readonly version: string},
): Promise<readonly [RunningSubject, ...string[]]> {
  const file = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const server = await startServer([process.execPath, file, ...args], directory);
  const [url = '', ...more] = (await readFirstLine(server)).split(' ');
  return [{url, servers: [server], version}, ...more];
}

function versionOf(packageFile: string): string {
  return JSON.parse(readFileSync(new URL(packageFile, import.meta.url), 'utf8')).version;
}

function pathOf(size: 'small' | 'large'): string {
  return `/api/store/${size === 'small' ? 'bench' : 'large'}%2F${KEY}`;
}

function transaction(): RequestTemplate {
  const put = `{"kind":"put","key":"bench/${KEY}","value":${valueTemplate(VALUE_BYTES.small)}}`;
  const operations = Array.from({length: TRANSACTION_PUTS}, () => put).join(',');
  return {method: 'POST', path: '/api/transactions', body: `{"operations":[${operations}]}`};
}
