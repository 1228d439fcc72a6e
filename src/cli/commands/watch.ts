import type {ConnectionState} from '../../client/event-stream.ts';
import type {ExitCode} from '../../core/failures/exit-codes.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {chooseEventFormat} from '../output/event-format.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, styleOf} from '../terminal/context.ts';
import {untilStopped} from '../terminal/interruptible.ts';

/** `crewroom watch`: prints changes as they happen, until a signal stops it. */
export async function run(call: CallOf<'watch'>): Promise<ExitCode> {
  const {context, flags} = call;
  const [prefix = ''] = call.arguments;
  const {initial = false, json = false, after} = flags;
  const {client, service} = await connect(call);
  // A service that cannot be reached is a failure now; later the client waits until it is back.
  await service.about();
  const status = createWatchStatus(prefix, context);
  const format = chooseEventFormat(json, context);
  const exitCode = await untilStopped(call, async signal => {
    const events = client.events({prefix, after, initial, signal, onConnection: status.onConnection});
    let isInitial = initial && after === undefined;
    for await (const event of events) {
      if (event.kind === 'reset') isInitial = initial;
      if (event.kind === 'initial-ended') isInitial = false;
      await context.stdout.write(format(event, isInitial && event.kind === 'entry-written'));
    }
  });
  await status.end();
  return exitCode;
}

/** Reports the state of the connection on stderr: to people when it is open, to all when it is lost or back. */
function createWatchStatus(prefix: string, context: CliContext) {
  const {stderr} = context;
  const style = styleOf(stderr, context);
  let isLost = false;
  const report = (text: string): void => void stderr.write(`${style.dim(text)}\n`);
  const range = prefix === '' ? 'every entry' : `every key that begins with ${JSON.stringify(prefix)}`;
  if (stderr.isTerminal) report(`Watching ${range}; Ctrl+C ends it`);
  return {
    onConnection: (state: ConnectionState): void => {
      if (state.kind === 'connected') {
        if (isLost) report('crewroom: Connected again');
        isLost = false;
      } else if (!isLost) {
        report(`crewroom: Connection lost: ${describeLoss(state)}; waiting until it is back`);
        isLost = true;
      }
    },
    /** Ends the line on which the terminal shows Ctrl+C. */
    end: async (): Promise<void> => {
      if (stderr.isTerminal) await stderr.write('\n');
    },
  };
}

function describeLoss({because}: ConnectionState & {readonly kind: 'lost'}): string {
  if (because === undefined) return 'the service stopped';
  const {failure} = because;
  return failure && 'problem' in failure ? String(failure.problem) : because.message;
}
