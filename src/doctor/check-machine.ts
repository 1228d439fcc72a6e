import {lookup} from 'node:dns/promises';
import {createServer} from 'node:net';
import {isLoopback} from '../system/loopback.ts';
import {type Finding, NamedCheck} from './finding.ts';

/** The oldest supported version of Node, as in package.json. */
const NODE_MIN = [20, 19] as const;

/** Checks the version of Node. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return new NamedCheck('Node').ok(version);
  const fix = 'Install a newer one from https://nodejs.org';
  return new NamedCheck('Node').problem(`${version} is older than ${NODE_MIN.join('.')}`, fix);
}

/** Checks that `localhost`, which plugins call, resolves to addresses that this machine has. */
export async function checkLocalhost(): Promise<Finding> {
  const check = new NamedCheck('localhost');
  const addresses = await lookup('localhost', {all: true}).catch(() => []);
  const names = addresses.map(({address}) => address);
  const fix = 'Let the hosts file name 127.0.0.1 and ::1 as localhost; plugins call it by this name';
  if (names.length === 0) return check.problem('the name does not resolve', fix);
  const foreign = names.filter(name => !isLoopback(name));
  if (foreign.length > 0) return check.problem(`the name resolves to ${foreign.join(' and ')} too`, fix);
  if ((await tryToListen({host: '::1', port: 0})) === undefined) return check.ok(`${names.join(' and ')}; IPv6 works`);
  if (names.includes('::1'))
    return check.warning(
      'the name resolves to ::1, and this machine has no IPv6',
      'Remove ::1 from the hosts file, or enable IPv6: some programs try it first',
    );
  return check.ok(`${names.join(' and ')}; this machine has no IPv6`);
}

/** Listens for a moment. @returns The error code of the system; undefined if listening works. */
export function tryToListen(address: {readonly host: string; readonly port: number}): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({...address, exclusive: true, ipv6Only: true}, () => server.close(() => resolve(undefined)));
  });
}
