import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {KEY, valueTemplate} from '../generator/template.ts';
import {readFirstLine, startServer} from '../process.ts';
import {STORE_DIALECT} from '../subjects/node-subjects.ts';
import {type RunningSubject, type SubjectKind, type Surroundings, VALUE_BYTES} from '../subjects/subject.ts';

/** A hand-written route. */
export const EXPRESS_SQLITE: SubjectKind = {
  name: 'Express + SQLite',
  description: 'a hand-written route; write-ahead log',
  durability: 'synced before the answer (journal_mode WAL, synchronous FULL)',
  dialect: STORE_DIALECT,
  start: surroundings => startPeer('express', 'express-sqlite-server.js', surroundings),
};

/** unstorage as a server. */
export const UNSTORAGE: SubjectKind = {
  name: 'unstorage',
  description: 'its HTTP server, a file for each entry',
  durability: 'written, not synced',
  dialect: {
    sizes: ['small', 'large'],
    get: size => ({method: 'GET', path: `/${size}:${KEY}`}),
    put: size => ({method: 'PUT', path: `/${size}:${KEY}`, body: valueTemplate(VALUE_BYTES[size])}),
    list: () => ({method: 'GET', path: '/small:'}),
  },
  start: surroundings => startPeer('unstorage', 'unstorage-server.js', surroundings),
};

/** Starts one of our servers around a package; it prints its address and versions. */
async function startPeer(
  packageName: string,
  script: string,
  {directory, peersDirectory}: Surroundings,
): Promise<RunningSubject> {
  if (!existsSync(join(peersDirectory, 'node_modules', packageName))) {
    throw new Error(`Cannot start ${packageName}: npm could not install it here`);
  }
  const server = await startServer([process.execPath, join(peersDirectory, script), directory], directory);
  const [url = '', ...version] = (await readFirstLine(server)).split(' ');
  return {url, servers: [server], version: version.join(' ')};
}
