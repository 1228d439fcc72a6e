import {execFile} from 'node:child_process';
import {userInfo} from 'node:os';

/** Longest look-up of a name, in milliseconds: names may be those of a directory service. */
const LOOK_UP_TIMEOUT_MS = 5000;

/**
 * Finds the id of a user, by name or id.
 *
 * @param user Does not begin with a dash.
 * @returns Undefined if no user has the name.
 */
export async function findUserId(user: string): Promise<number | undefined> {
  const id = /^[0-9]{1,10}$/.test(user) ? user : await lookUp('-u', user);
  return /^[0-9]+$/.test(id) ? Number(id) : undefined;
}

/** Returns the name of the user of this process; undefined if the system has none for its id, as in some containers. */
export function ownUserName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/**
 * Returns the user whom a service names, if it is not the one of this process. Undefined on Linux, where the kernel names the user of each socket, also of
 * services in containers, whose names of users are their own.
 */
export function foreignName(user: string | undefined, platform: NodeJS.Platform): string | undefined {
  return platform === 'linux' || user === ownUserName() ? undefined : user;
}

/** Describes a user, such as `ada (1001)`; by the id alone if the system knows no name. */
export async function describeUser(userId: number): Promise<string> {
  const name = await lookUp('-nu', String(userId));
  return name === '' ? String(userId) : `${name} (${userId})`;
}

function lookUp(...words: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    execFile('id', words, {timeout: LOOK_UP_TIMEOUT_MS}, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    );
  });
}
