import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {findFreePort} from '../../test/support/free-port.ts';
import {fillTemplate, KEY, valueTemplate} from '../generator/template.ts';
import {startServer, waitUntilAnswered} from '../process.ts';
import {ENTRIES, type RunningSubject, type SubjectKind, type Surroundings, VALUE_BYTES} from '../subjects/subject.ts';

const VALUE = valueTemplate(VALUE_BYTES.small);

/** A fake back end for front-end development. */
export const JSON_SERVER: SubjectKind = {
  name: 'json-server',
  description: 'one JSON file, rewritten at every write',
  durability: 'written, not synced',
  dialect: {
    // It rewrites its whole file at every write: large values would slow down the small ones.
    sizes: ['small'],
    get: () => ({method: 'GET', path: `/entries/${KEY}`}),
    put: () => ({method: 'PUT', path: `/entries/${KEY}`, body: VALUE}),
  },
  start,
};

async function start({directory, peersDirectory}: Surroundings): Promise<RunningSubject> {
  const home = join(peersDirectory, 'node_modules', 'json-server');
  const {version, bin} = JSON.parse(await readFile(join(home, 'package.json'), 'utf8').catch(reportMissing));
  const file = join(directory, 'db.json');
  await writeFile(file, JSON.stringify({entries: makeEntries()}));
  const port = String(await findFreePort());
  const program = join(home, typeof bin === 'string' ? bin : bin['json-server']);
  const args = ['--host', '127.0.0.1', '--port', port, '--quiet', file];
  const server = await startServer([process.execPath, program, ...args], directory);
  const url = `http://127.0.0.1:${port}`;
  await waitUntilAnswered(server, `${url}/entries/0000000`);
  return {url, servers: [server], version, filled: true};
}

function makeEntries(): readonly object[] {
  return Array.from({length: ENTRIES.small}, (_, key) => {
    const {body = ''} = fillTemplate({method: 'PUT', path: '', body: VALUE}, {key, value: 100_000_000_000 + key});
    return {id: String(key).padStart(KEY.length, '0'), ...JSON.parse(body)};
  });
}

function reportMissing(): never {
  throw new Error('Cannot start json-server: npm could not install it here');
}
