import {type AddressInfo, createServer} from 'node:net';
import {findListenerUser} from '../system/socket-owner.ts';
import {findUserId} from '../system/user-ids.ts';
import {type Finding, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Users');

/** Checks if the service refuses programs of other users of this machine, and if all users who are allowed exist. */
export async function checkUsers(allowUser: readonly string[], platform: NodeJS.Platform): Promise<Finding> {
  if (platform !== 'linux')
    return CHECK.warning(
      'programs of other users of this machine can call the service',
      'Run it only on a machine whose users you trust: Crewroom recognises users on Linux only',
    );
  for (const name of allowUser) {
    if ((await findUserId(name)) === undefined)
      return CHECK.problem(
        `${JSON.stringify(name)} is not a user of this machine`,
        'Correct --allow-user, CREWROOM_ALLOW_USER or allowUser in the config file',
      );
  }
  if ((await findOwnUser(platform)) === undefined)
    return CHECK.warning(
      'this machine does not list its sockets, so programs of other users can call the service',
      'Let the service read /proc/net/tcp and /proc/net/tcp6, or run it only where you trust all users',
    );
  const except = allowUser.length === 0 ? '' : `, except those of ${allowUser.join(' and ')}`;
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
