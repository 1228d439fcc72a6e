import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {findFreePort} from '../../test/support/free-port.ts';
import {KEY, valueTemplate} from '../generator/template.ts';
import {readFirstLine, type ServerProcess, startServer, waitUntilAnswered} from '../process.ts';
import {
  type RunningSubject,
  type SubjectKind,
  type Surroundings,
  TRANSACTION_PUTS,
  VALUE_BYTES,
} from '../subjects/subject.ts';
import {findProgram} from './debian-programs.ts';
import {programsDirectory} from './install-peers.ts';

/** Redis, with Webdis in front of it for HTTP. */
export const WEBDIS: SubjectKind = {
  name: 'Redis + Webdis',
  description: 'a store in memory with a log on disk, behind a server in C',
  durability: 'synced before the answer (appendonly yes, appendfsync always)',
  dialect: {
    sizes: ['small', 'large'],
    // As text, so that the answer is the value and nothing else, as with the other peers.
    get: size => ({method: 'GET', path: `/GET/${size}:${KEY}.txt`}),
    put: size => ({method: 'PUT', path: `/SET/${size}:${KEY}`, body: valueTemplate(VALUE_BYTES[size])}),
    transaction: () => {
      const pair = `/small:${KEY}/${valueTemplate(VALUE_BYTES.small)}`;
      return {method: 'POST', path: '/', body: `MSET${pair.repeat(TRANSACTION_PUTS)}`};
    },
  },
  start,
};

async function start(surroundings: Surroundings): Promise<RunningSubject> {
  const {directory, peersDirectory} = surroundings;
  const programs = programsDirectory(peersDirectory);
  const [redis, webdis] = [await findProgram('redis-server', programs), await findProgram('webdis', programs)];
  const redisPort = await findFreePort();
  const options = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', directory];
  const redisArgs = ['--port', String(redisPort), '--bind', '127.0.0.1', ...options];
  const redisServer = await startServer([redis.file, ...redisArgs], directory, redis.environment);
  await readFirstLine(redisServer);
  const port = await findFreePort();
  const configuration = join(directory, 'webdis.json');
  await writeFile(configuration, JSON.stringify(configure({directory, redisPort, port})));
  const webdisDirectory = join(directory, 'webdis');
  await mkdir(webdisDirectory);
  const webdisServer = await startServer([webdis.file, configuration], webdisDirectory, webdis.environment);
  const url = `http://127.0.0.1:${port}`;
  await waitUntilAnswered(webdisServer, `${url}/PING`);
  const servers: [ServerProcess, ServerProcess] = [webdisServer, redisServer];
  return {url, servers, version: `Redis ${redis.version}, Webdis ${webdis.version}`};
}

function configure({directory, redisPort, port}: {directory: string; redisPort: number; port: number}): object {
  return {
    redis_host: '127.0.0.1',
    redis_port: redisPort,
    http_host: '127.0.0.1',
    http_port: port,
    // One thread per core available here.
    threads: 1,
    // Each thread has this many connections to Redis. Source: its README, where 20 is the default.
    pool_size: 20,
    daemonize: false,
    database: 0,
    acl: [],
    verbosity: 0,
    logfile: join(directory, 'webdis.log'),
  };
}
