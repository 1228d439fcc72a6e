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

/** The service with a plugin that answers at once. */
export const CREWROOM_PLUGIN: Pick<SubjectKind, 'name' | 'start'> = {
  name: 'crewroom',
  start: ({directory}) =>
    startNode('./crewroom-plugin.js', [directory], {directory, version: versionOf('../../package.json')}),
};

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
async function startNode(
  script: string,
  args: readonly string[],
  {directory, version}: {readonly directory: string; readonly version: string},
): Promise<RunningSubject> {
  const file = fileURLToPath(new URL(`../servers/${script}`, import.meta.url));
  const server = await startServer([process.execPath, file, ...args], directory);
  const [url = ''] = (await readFirstLine(server)).split(' ');
  return {url, servers: [server], version};
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
