import type {ConnectionState} from '../../client/event-stream.ts';
import type {CliContext} from '../terminal/context.ts';
import {styleOf} from '../terminal/style.ts';

/** Reports the state of the connection on stderr: to people when it is open, to all when it is lost or back. */
export function createWatchStatus(prefix: string, context: CliContext) {
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
  return 'problem' in failure ? String(failure.problem) : because.message;
}
