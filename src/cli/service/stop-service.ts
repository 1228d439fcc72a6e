import {AppError} from '../../core/failures/app-error.ts';
import type {Stopping} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {addressesOf} from '../../platform/system/loopback.ts';
import {describePortHolder, findPortHolder, type PortHolder} from '../../platform/system/port-holder.ts';
import {isForeignUser} from '../../platform/system/socket-owner.ts';
import {describeDataDirectory} from '../../store/disk/data-directory.ts';
import type {CommandCall} from '../catalogue/commands.ts';
import {readSettings} from '../input/settings.ts';
import type {CliContext} from '../terminal/context.ts';
import {startProgress} from '../terminal/progress.ts';
import {connect} from './connection.ts';

/** Longest time for a service to end, in milliseconds: seven seconds with plugins, and some more on a busy machine. */
const END_TIMEOUT_MS = 15_000;

/** Interval of checks whether the process still runs, in milliseconds. */
const INTERVAL_MS = 50;

/** Longest wait for the answer of a service asked to stop, in milliseconds. One that serves answers in a few. */
const ANSWER_TIMEOUT_MS = 5000;

/**
 * Asks the service that the settings of a call name to end, and waits until its process has ended. On Linux it sends SIGTERM to one that does not
 * answer, or whose token is in no file.
 *
 * @returns The process that has ended, and a description of the service, for people.
 * @throws {AppError} `service-unreachable`, `foreign-service`, `no-owner-token`, `service-timeout`.
 */
export async function stopService(call: CommandCall) {
  const {context} = call;
  const {send, url, address} = await connect(call, {asOwner: true, timeoutMs: ANSWER_TIMEOUT_MS});
  const holder = await findPortHolder({address: addressesOf(address.host)[0], port: address.port});
  if (holder !== undefined) await assertOwnService(holder, url, call);
  const answered = await send('POST', '/api/stop', parseDocument<Stopping>).catch(error => {
    if (holder?.processId === undefined) throw error;
    context.sendSignal(holder.processId, 'SIGTERM');
    return {processId: holder.processId};
  });
  // In a container the service knows another id.
  const processId = holder?.processId ?? answered.processId;
  await untilEnded(processId, url, context);
  return {processId, description: describePortHolder({...holder, processId})};
}

async function untilEnded(processId: number, url: string, context: CliContext): Promise<void> {
  await using progress = startProgress(context);
  const endsAtMs = context.elapsedMs() + END_TIMEOUT_MS;
  while (context.isRunning(processId)) {
    if (context.elapsedMs() > endsAtMs) throw new AppError({code: 'service-timeout', url, timeoutMs: END_TIMEOUT_MS});
    progress.show(() => `Waiting for the end of process ${processId}`);
    await context.pause(INTERVAL_MS);
  }
}

/**
 * Asserts that a port is that of a Crewroom of this user, as far as it is known: it answers, or its process has the data directory.
 *
 * @throws {AppError} `service-unreachable` if it is another program; `foreign-service` if it is another user's.
 */
async function assertOwnService(holder: PortHolder, url: string, call: CommandCall): Promise<void> {
  const {userId: ownUserId} = call.context;
  const {processId, userId, crewroomVersion} = holder;
  if (isForeignUser(userId, ownUserId))
    throw new AppError({code: 'foreign-service', url, owner: userId, userId: ownUserId ?? 0});
  if (crewroomVersion !== undefined) return;
  if (processId !== undefined && processId === (await findStoreHolder(call))) return;
  const problem = `${describePortHolder(holder)} has its port, and is not a Crewroom`;
  throw new AppError({code: 'service-unreachable', url, problem});
}

/** Returns the process that has the data directory; undefined if none does, or it cannot be read. Loads the engine of the store. */
async function findStoreHolder(call: CommandCall): Promise<number | undefined> {
  const {config} = await readSettings(call);
  const {findHolder} = await import('../../store/lmdb/process-lock.ts');
  return findHolder(describeDataDirectory(config.dataDir)).catch(() => undefined);
}
