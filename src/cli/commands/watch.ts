import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {readRevision} from '../input/flag-values.ts';
import {chooseEventFormat} from '../output/event-format.ts';
import {createWatchStatus} from '../output/watch-status.ts';
import {connect} from '../service/connection.ts';
import {untilStopped} from '../terminal/interruptible.ts';

/** `crewroom watch`: prints changes as they happen, until a signal stops it. */
export async function run(call: CallOf<'watch'>): Promise<ExitCode> {
  const {context, flags} = call;
  const [prefix = ''] = call.arguments;
  const {initial, json = false} = flags;
  const since = readRevision(flags.since, {command: 'watch', flag: '--since', min: 0});
  const {client, service} = await connect(call);
  // A service that cannot be reached is a failure now; later the client waits until it is back.
  await service.about();
  const status = createWatchStatus(prefix, context);
  const format = chooseEventFormat(json, context);
  const exitCode = await untilStopped(call, async signal => {
    const events = client.events({prefix, since, initial, signal, onConnection: status.onConnection});
    for await (const event of events) {
      // The cursor is undefined as long as the present entries are sent.
      const isPresent = event.kind === 'entry-written' && events.cursor === undefined;
      await context.stdout.write(format(event, isPresent));
    }
  });
  await status.end();
  return exitCode;
}
