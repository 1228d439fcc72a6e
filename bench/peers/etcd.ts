import {join} from 'node:path';
import {findFreePort} from '../../test/support/free-port.ts';
import {KEY, NEW_VALUE, type RequestTemplate} from '../generator/template.ts';
import {startServer, waitUntilAnswered} from '../process.ts';
import {
  type RunningSubject,
  type SubjectKind,
  type Surroundings,
  TRANSACTION_PUTS,
  VALUE_BYTES,
  type ValueSize,
} from '../subjects/subject.ts';
import {findProgram} from './debian-programs.ts';
import {programsDirectory} from './install-peers.ts';

/** Every write is kept until it is compacted: space for the writes of a run, in bytes. */
const QUOTA_BYTES = 8 * 2 ** 30;

/** etcd with its own JSON gateway; one member. */
export const ETCD: SubjectKind = {
  name: 'etcd',
  description: 'its JSON gateway, one member',
  durability: 'synced before the answer',
  dialect: {
    sizes: ['small', 'large'],
    get: size => post('range', `{"key":"${keyOf(size)}"}`),
    put: size => post('put', putOf(size)),
    // All keys that begin with "bench/": up to "bench0".
    list: () => post('range', '{"key":"YmVuY2gv","range_end":"YmVuY2gw","limit":1000,"keys_only":true}'),
    transaction: () => {
      const puts = Array.from({length: TRANSACTION_PUTS}, () => `{"requestPut":${putOf('small')}}`);
      return post('txn', `{"success":[${puts.join(',')}]}`);
    },
  },
  start,
};

async function start({directory, peersDirectory}: Surroundings): Promise<RunningSubject> {
  const {file, version, environment} = await findProgram('etcd', programsDirectory(peersDirectory));
  const [url, peerUrl] = [`http://127.0.0.1:${await findFreePort()}`, `http://127.0.0.1:${await findFreePort()}`];
  const options: Readonly<Record<string, string>> = {
    'data-dir': join(directory, 'data'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
    'quota-backend-bytes': String(QUOTA_BYTES),
    'log-level': 'error',
    logger: 'zap',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const server = await startServer([file, ...args], directory, environment);
  await waitUntilAnswered(server, `${url}/health`);
  return {url, servers: [server], version};
}

function post(operation: string, body: string): RequestTemplate {
  return {method: 'POST', path: `/v3/kv/${operation}`, body};
}

/** Keys and values are in base64, which may contain digits: so placeholders can be filled unchanged. */
function keyOf(size: ValueSize): string {
  const prefix = size === 'small' ? 'YmVuY2gv' : 'bGFyZ2Uv';
  return `${prefix}0${KEY}`;
}

function putOf(size: ValueSize): string {
  const length = Math.ceil(VALUE_BYTES[size] / 3) * 4;
  return `{"key":"${keyOf(size)}","value":"${NEW_VALUE}${'eHh4'.repeat((length - NEW_VALUE.length) / 4)}"}`;
}
