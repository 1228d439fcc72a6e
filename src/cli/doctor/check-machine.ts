import {lookup} from 'node:dns/promises';
import {type AddressInfo, createServer} from 'node:net';
import {isLoopback} from '../../platform/system/loopback.ts';
import {tryToListen} from '../../platform/system/port-holder.ts';
import {findListenerUser} from '../../platform/system/socket-owner.ts';
import {findUserId} from '../../platform/system/user-ids.ts';
import {type Finding, NamedCheck} from './finding.ts';

/** The oldest supported version of Node, as in package.json. */
const NODE_MIN = [20, 19] as const;

/** The oldest major version of Node that gets updates. */
const NODE_UPDATED = 22;

const NODE_FIX = 'Install 22.13 or later from https://nodejs.org';

/** Checks the version of Node. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  // An installation that works is no reason to warn.
  const advice = major < NODE_UPDATED ? '; it has had no updates since April 2026: 22.13 or later is advised' : '';
  if (isEnough) return new NamedCheck('Node').ok(version + advice);
  return new NamedCheck('Node').problem(`${version} is older than ${NODE_MIN.join('.')}`, NODE_FIX);
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
  if ((await tryToListen({address: '::1', port: 0})) === undefined)
    return check.ok(`${names.join(' and ')}; IPv6 works`);
  if (names.includes('::1'))
    return check.warning(
      'the name resolves to ::1, and this machine has no IPv6',
      'Remove ::1 from the hosts file, or enable IPv6: some programs try it first',
    );
  return check.ok(`${names.join(' and ')}; this machine has no IPv6`);
}

/** Name below `localhost`, like those of the pages of plugins and the console. */
const NAME_BELOW = 'crewroom.localhost';

/** Checks that the system resolves a name below `localhost`. Chrome, Edge and Firefox do without it (RFC 6761); Safari asks the system. */
export async function checkNamesBelow(
  platform: NodeJS.Platform,
  resolve: (name: string) => Promise<readonly {readonly address: string}[]> = name => lookup(name, {all: true}),
): Promise<Finding> {
  const check = 'Names below localhost';
  const addresses = await resolve(NAME_BELOW).catch(() => []);
  if (addresses.length > 0 && addresses.every(({address}) => isLoopback(address)))
    return {check, level: 'ok', detail: `${NAME_BELOW} resolves`};
  const detail = `the system does not resolve ${NAME_BELOW}: in Safari, the console and the pages of plugins stay empty`;
  if (platform !== 'darwin') return {check, level: 'ok', detail: 'resolved by browsers, not by the system'};
  return {check, level: 'warning', detail, fix: 'Use Chrome, Edge or Firefox, which resolve it themselves'};
}

const CHECK = new NamedCheck('Users');

/** Checks if the service refuses programs of other users of this machine, and if all users who are allowed exist. */
export async function checkUsers(allowUsers: readonly string[], platform: NodeJS.Platform): Promise<Finding> {
  if (platform !== 'linux')
    return CHECK.warning(
      'programs of other users of this machine can call the service',
      'Run it only on a machine whose users you trust: Crewroom recognises users on Linux only',
    );
  for (const name of allowUsers) {
    if ((await findUserId(name)) === undefined)
      return CHECK.problem(
        `${JSON.stringify(name)} is not a user of this machine`,
        'Correct --allow-user, CREWROOM_ALLOW_USERS or allowUsers in the config file',
      );
  }
  if ((await findOwnUser(platform)) === undefined)
    return CHECK.warning(
      'this machine does not list its sockets, so programs of other users can call the service',
      'Let the service read /proc/net/tcp and /proc/net/tcp6, or run it only where you trust all users',
    );
  const except = allowUsers.length === 0 ? '' : `, except those of ${allowUsers.join(' and ')}`;
  return CHECK.ok(`programs of other users are refused${except}`);
}

/** Listens for a moment, and finds the user who does. */
async function findOwnUser(platform: NodeJS.Platform): Promise<number | undefined> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const {port} = server.address() as AddressInfo;
    return await findListenerUser({address: '127.0.0.1', port}, platform);
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
