import {execFile} from 'node:child_process';

/** Longest look-up of a name, in milliseconds: names may be those of a directory service. */
const LOOK_UP_TIMEOUT_MS = 5000;

/**
 * Finds the id of a user, by name or id.
 *
 * @param user Does not begin with a dash.
 * @returns Undefined if no user has the name.
 */
export function findUserId(user: string): Promise<number | undefined> {
  if (/^[0-9]{1,10}$/.test(user)) return Promise.resolve(Number(user));
  return new Promise(resolve => {
    execFile('id', ['-u', user], {timeout: LOOK_UP_TIMEOUT_MS}, (error, stdout) => {
      resolve(error === null && /^[0-9]+\n?$/.test(stdout) ? Number(stdout) : undefined);
    });
  });
}
