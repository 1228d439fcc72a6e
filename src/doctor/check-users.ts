import {type AddressInfo, createServer} from 'node:net';
import {findListenerUser} from '../system/socket-owner.ts';
import {findUserId} from '../system/user-ids.ts';
import type {Finding} from './finding.ts';

const CHECK = 'Users';

/** Checks if the service refuses programs of other users of this machine, and if all users who are allowed exist. */
export async function checkUsers(allowUser: readonly string[], platform: NodeJS.Platform): Promise<Finding> {
  const open = {check: CHECK, level: 'warning'} as const;
  if (platform !== 'linux')
    return {
      ...open,
      detail: 'programs of other users of this machine can call the service',
      fix: 'Run it only on a machine whose users you trust: Crewroom recognises users on Linux only',
    };
  for (const name of allowUser) {
    if ((await findUserId(name)) === undefined)
      return {
        check: CHECK,
        level: 'problem',
        detail: `${JSON.stringify(name)} is not a user of this machine`,
        fix: 'Correct --allow-user, CREWROOM_ALLOW_USER or allowUser in the config file',
      };
  }
  if ((await findOwnUser(platform)) === undefined)
    return {
      ...open,
      detail: 'this machine does not list its sockets, so programs of other users can call the service',
      fix: 'Let the service read /proc/net/tcp and /proc/net/tcp6, or run it only where you trust all users',
    };
  const except = allowUser.length === 0 ? '' : `, except those of ${allowUser.join(' and ')}`;
  return {check: CHECK, level: 'ok', detail: `programs of other users are refused${except}`};
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
