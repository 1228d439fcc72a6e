import type {CallOf} from '../catalogue/call.ts';
import type {WATCH} from '../catalogue/data-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {readRevision} from '../input/flag-values.ts';
import {chooseEventFormat} from '../output/event-format.ts';
import {createWatchTalk} from '../output/watch-status.ts';
import {connect} from '../service/connection.ts';
import {listenForStop} from '../terminal/stop-request.ts';

/** `crewroom watch`: what changes, as it does, until it is stopped. */
export async function run(call: CallOf<typeof WATCH>): Promise<ExitCode> {
  const {context, flags} = call;
  const [prefix = ''] = call.arguments;
  const {initial, json = false} = flags;
  const since =
    flags.since === undefined ? undefined : readRevision(flags.since, {command: 'watch', flag: '--since', min: 0});
  const {client} = await connect(call);
  // A service that is not there is a failure now; later it is one that will be back.
  await client.service();
  const stop = listenForStop(context);
  const stopped = new AbortController();
  void stop.asked.then(() => stopped.abort());
  const talk = createWatchTalk(prefix, context);
  const format = chooseEventFormat(json, context);
  try {
    const {signal} = stopped;
    const events = client.events({prefix, since, initial, signal, onConnection: talk.onConnection});
    for await (const event of events) {
      // There is no cursor among the entries that are present.
      const isPresent = event.kind === 'entry-written' && events.cursor === undefined;
      await context.stdout.write(format(event, isPresent));
    }
  } finally {
    stop.release();
  }
  await talk.end();
  return EXIT.ok;
}
