import {execFile} from 'node:child_process';

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
