import {EXIT} from '../../failures/exit-codes.ts';
import {RestartPolicy} from '../../plugins/restart-policy.ts';
import {wait} from '../../time/wait.ts';
import type {CliContext} from '../terminal/context.ts';
import type {SideCommand} from './side-command.ts';

export interface FollowCommandDeps extends Pick<CliContext, 'elapsedMs'> {
  /** Starts the command. */
  readonly start: () => SideCommand;
  /** Returns whether it is a dev server that has served the page: then it is started again if it fails. */
  readonly hasServed: () => boolean;
  /** Reports a fact to the author. */
  readonly note: (text: string) => void;
  /** Ends the command. */
  readonly signal: AbortSignal;
}

/**
 * Runs a command beside the service until a signal is aborted, or until it fails. A dev server that has served the page and fails is started again, after a
 * pause, unless it fails too often. A command that is done, such as a build, ends nothing.
 *
 * @returns The exit code with which it failed; 0 once the signal is aborted.
 */
export async function followCommand({start, hasServed, note, elapsedMs, signal}: FollowCommandDeps): Promise<number> {
  const aborted = wait(undefined, {signals: [signal]}).then(() => EXIT.ok);
  const policy = new RestartPolicy();
  for (;;) {
    const startedAtMs = elapsedMs();
    await using command = start();
    const exitCode = await Promise.race([aborted, command.ended]);
    if (exitCode === EXIT.ok) await aborted;
    // On a terminal Ctrl+C ends the command too.
    if (signal.aborted) return EXIT.ok;
    const failed = exitCode ?? EXIT.failure;
    if (!hasServed()) return failed;
    const how = exitCode === undefined ? 'by a signal' : `with exit code ${exitCode}`;
    const pauseMs = policy.next({startedAtMs, endedAtMs: elapsedMs()});
    if (pauseMs === undefined) {
      note(`The dev server ended too often, now ${how}: fix what it reports, then run "crewroom dev" again`);
      return failed;
    }
    note(`The dev server ended ${how}; it is started again`);
    await wait(pauseMs, {signals: [signal]});
  }
}
