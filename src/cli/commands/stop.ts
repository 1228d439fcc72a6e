import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {addressesOf} from '../../system/loopback.ts';
import {describePortHolder, findPortHolder, type PortHolder} from '../../system/port-holder.ts';
import {isForeignUser} from '../../system/socket-owner.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {STOP_SPEC} from '../catalogue/service-commands.ts';
import {refusedUsage} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {jsonLine} from '../terminal/escape.ts';
import {startProgress} from '../terminal/progress.ts';

/** Longest time that a service takes to end, in milliseconds: seven seconds with plugins, and some more on a busy machine. */
const END_TIMEOUT_MS = 15_000;

/** Interval of checks whether the process still runs, in milliseconds. */
const INTERVAL_MS = 50;

/** `crewroom stop`: asks the process of the service to end, and waits until it has ended. */
export async function run(call: CallOf<typeof STOP_SPEC>): Promise<ExitCode> {
  const {context, flags} = call;
  const {url, address, service} = await connect(call);
  const holder = await findPortHolder({address: addressesOf(address.host)[0], port: address.port});
  // Fails with the reason if nothing answers.
  if (holder === undefined) await service.about();
  const processId = findProcess(holder ?? {}, url, context.userId);
  context.sendSignal(processId, 'SIGTERM');
  await untilEnded(processId, url, context);
  if (flags.json) await context.stdout.write(jsonLine({stopped: true, processId}));
  else if (context.stderr.isTerminal) await context.stderr.write(`Stopped ${describePortHolder(holder ?? {})}\n`);
  return EXIT.ok;
}

async function untilEnded(processId: number, url: string, context: CliContext): Promise<void> {
  const progress = startProgress(context);
  const endsAtMs = context.elapsedMs() + END_TIMEOUT_MS;
  try {
    while (context.isRunning(processId)) {
      if (context.elapsedMs() > endsAtMs) throw new AppError({code: 'service-timeout', url, timeoutMs: END_TIMEOUT_MS});
      progress.show(() => `Waiting for the end of process ${processId}`);
      await context.pause(INTERVAL_MS);
    }
  } finally {
    await progress.clear();
  }
}

/**
 * Returns the process of a service.
 *
 * @throws {AppError} `service-unreachable` if it is another program; `foreign-service` if it is another user's; `invalid-usage` if it is
 * not known.
 */
function findProcess(holder: PortHolder, url: string, ownUserId: number | undefined): number {
  const {processId, userId, crewroomVersion} = holder;
  if (isForeignUser(userId, ownUserId))
    throw new AppError({code: 'foreign-service', url, owner: userId, userId: ownUserId ?? 0});
  if (crewroomVersion === undefined)
    throw new AppError({
      code: 'service-unreachable',
      url,
      problem: `${describePortHolder(holder)} has its port, and is not a Crewroom`,
    });
  if (processId === undefined)
    throw refusedUsage(
      'stop',
      'this system does not show the process of the service',
      'Press Ctrl+C where it was started',
    );
  return processId;
}
