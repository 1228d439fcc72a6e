import type {ConnectionState} from '../../client/event-stream.ts';
import type {CliContext} from '../terminal/context.ts';
import {styleOf} from '../terminal/style.ts';

/** What is said of a connection that lasts. */
export interface WatchTalk {
  readonly onConnection: (state: ConnectionState) => void;
  /** Ends the line on which the terminal shows Ctrl+C. */
  end(): Promise<void>;
}

/** Tells on stderr how the connection is: that it is there to people, that it is lost and back again to everybody. */
export function createWatchTalk(prefix: string, context: CliContext): WatchTalk {
  const {stderr} = context;
  const style = styleOf(stderr, context);
  let isLost = false;
  const say = (text: string): void => void stderr.write(`${style.dim(text)}\n`);
  const what = prefix === '' ? 'every entry' : `every key that begins with ${JSON.stringify(prefix)}`;
  if (stderr.isTerminal) say(`Watching ${what}; Ctrl+C ends it`);
  return {
    onConnection: state => {
      if (state.kind === 'connected') {
        if (isLost) say('crewroom: Connected again');
        isLost = false;
      } else if (!isLost) {
        say(`crewroom: Connection lost: ${describeLoss(state)}; waiting until it is back`);
        isLost = true;
      }
    },
    end: async () => {
      if (stderr.isTerminal) await stderr.write('\n');
    },
  };
}

function describeLoss({because}: ConnectionState & {readonly kind: 'lost'}): string {
  if (because === undefined) return 'the service stopped';
  const {failure} = because;
  return 'problem' in failure ? String(failure.problem) : because.message;
}
