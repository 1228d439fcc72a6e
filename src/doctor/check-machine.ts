import {lookup} from 'node:dns/promises';
import {createServer} from 'node:net';
import {isLoopback} from '../system/loopback.ts';
import type {Finding} from './finding.ts';

/** The oldest Node that works, as in package.json. */
const NODE_MIN = [20, 19] as const;

/** Whether this Node is new enough. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return {check: 'Node', level: 'ok', detail: version};
  const fix = 'Install a newer one from https://nodejs.org';
  return {check: 'Node', level: 'problem', detail: `${version} is older than ${NODE_MIN.join('.')}`, fix};
}

/** Whether the name that plugins call leads to this machine, and whether it has the second of its addresses. */
export async function checkLocalhost(): Promise<Finding> {
  const check = 'localhost';
  const addresses = await lookup('localhost', {all: true}).catch(() => []);
  const names = addresses.map(({address}) => address);
  const fix = 'Let the hosts file name 127.0.0.1 and ::1 as localhost; plugins call it by this name';
  if (names.length === 0) return {check, level: 'problem', detail: 'the name leads nowhere', fix};
  const foreign = names.filter(name => !isLoopback(name));
  if (foreign.length > 0)
    return {check, level: 'problem', detail: `the name leads to ${foreign.join(' and ')} too`, fix};
  if ((await tryToListen({host: '::1', port: 0})) === undefined)
    return {check, level: 'ok', detail: `${names.join(' and ')}; IPv6 works`};
  if (names.includes('::1'))
    return {
      check,
      level: 'warning',
      detail: 'the name leads to ::1, and this machine has no IPv6',
      fix: 'Take ::1 out of the hosts file, or turn IPv6 on: some programs try it first',
    };
  return {check, level: 'ok', detail: `${names.join(' and ')}; this machine has no IPv6`};
}

/** Listens for a moment; resolves with the system's code for why that does not work. */
export function tryToListen(address: {readonly host: string; readonly port: number}): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({...address, exclusive: true, ipv6Only: true}, () => server.close(() => resolve(undefined)));
  });
}
