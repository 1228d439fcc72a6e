import type {Log} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {Failure} from '../../core/failures/failure.ts';
import {ownUserId} from '../../core/files/own.ts';
import {PeerUsers} from '../../platform/system/peer-users.ts';
import type {ConnectionEnds} from '../../platform/system/socket-owner.ts';
import {findUserId} from '../../platform/system/user-ids.ts';

/** Settings of {@link createPeerCheck}, and what a test replaces. */
export interface PeerCheckOptions {
  /** Names or ids of other users whose programs may call. */
  readonly allowUsers: readonly string[];
  readonly log: Log;
  /** @default {the operating system} */
  readonly platform?: NodeJS.Platform;
  /** The user of this process; undefined on Windows. @default {ownUserId()} */
  readonly ownUser?: number | undefined;
  /** The lists of sockets of IPv4 and IPv6. @default {those of Linux} */
  readonly tables?: readonly [string, string];
}

/** Returns why the program at the other end of a connection may not call; undefined if it may. Never rejects. */
export type PeerCheck = (ends: ConnectionEnds) => Promise<Failure | undefined>;

/** Id of root, which can read and change everything anyway. */
const ROOT = 0;

/**
 * Creates the check that refuses programs of other users. If the machine lists no sockets, all programs are admitted, and that is logged
 * once.
 *
 * @returns Undefined if nothing is checked: on operating systems other than Linux.
 * @throws {AppError} `invalid-configuration` if a name is not one of a user.
 */
export async function createPeerCheck(options: PeerCheckOptions): Promise<PeerCheck | undefined> {
  const {allowUsers, log, platform = process.platform, ownUser = ownUserId(), tables} = options;
  if (platform !== 'linux' || ownUser === undefined) return undefined;
  const allowed = new Set([ROOT, ownUser, ...(await findIds(allowUsers))]);
  const users = new PeerUsers(tables);
  let isLogged = false;
  return async ends => {
    const user = await users.find(ends);
    if (user === 'unread') return {code: 'unavailable', what: 'user'};
    if (user === 'unknown') return {code: 'other-user'};
    if (user !== 'unavailable') return allowed.has(user) ? undefined : {code: 'other-user', owner: user};
    if (!isLogged) log.error('programs of other users are not refused: this machine does not list its sockets');
    isLogged = true;
    return undefined;
  };
}

async function findIds(names: readonly string[]): Promise<readonly number[]> {
  const found = await Promise.all(names.map(async name => ({name, id: await findUserId(name)})));
  const unknown = found.filter(({id}) => id === undefined);
  if (unknown.length === 0) return found.flatMap(({id}) => id ?? []);
  const problems = unknown.map(({name}) => {
    const problem = `${JSON.stringify(name)} is not a user of this machine`;
    return {setting: 'allowUsers', source: 'allowUsers', problem};
  });
  throw new AppError({code: 'invalid-configuration', problems});
}
