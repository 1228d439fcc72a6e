import {spawn} from 'node:child_process';
import {AppError} from '../../failures/app-error.ts';
import {AdvisedError} from '../failures/report.ts';
import type {CliContext} from '../terminal/context.ts';

/** The editor if none is chosen: every system has it. */
function defaultEditor(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'notepad' : 'vi';
}

/**
 * Opens a file in the editor of the user, `$VISUAL` or `$EDITOR`, and waits until it is closed.
 *
 * @throws {AdvisedError} `unreadable-input` if the editor does not exist, or failed.
 */
export async function openEditor(file: string, context: CliContext): Promise<void> {
  const {VISUAL: visual = '', EDITOR: editor = ''} = context.environment;
  const command = visual.trim() || editor.trim() || defaultEditor(context.platform);
  // Ctrl+C is for the editor: if it ended this process, the file would stay behind.
  const release = context.onSignal('SIGINT', () => {});
  try {
    const problem = await runEditor(command, file, context);
    if (problem === undefined) return;
    const failure = new AppError({
      code: 'unreadable-input',
      source: `what the editor ${JSON.stringify(command)} wrote`,
      problem,
    });
    throw new AdvisedError(
      failure,
      'Set VISUAL or EDITOR to an editor that waits until the file is closed; nothing was stored',
    );
  } finally {
    release();
  }
}

/** Runs the editor with the streams of this process; returns the problem, if any. */
function runEditor(command: string, file: string, context: CliContext): Promise<string | undefined> {
  const {environment, platform, workingDirectory: cwd} = context;
  const options = {stdio: 'inherit', cwd, env: {...environment}} as const;
  // A shell splits the command, which may have arguments ("code --wait"), as Git does.
  const child =
    platform === 'win32'
      ? spawn(`${command} "${file}"`, {...options, shell: true})
      : spawn('/bin/sh', ['-c', `${command} "$@"`, command, file], options);
  return new Promise(resolve => {
    child.once('error', ({message}) => resolve(message));
    child.once('exit', (exitCode, signal) => {
      if (exitCode === 0) resolve(undefined);
      else resolve(signal === null ? describeExit(exitCode) : `it was ended by ${signal}`);
    });
  });
}

/** The exit code of shells for an unknown command (POSIX, Shell Command Language 2.8.2). */
const NOT_FOUND = 127;

function describeExit(exitCode: number | null): string {
  return exitCode === NOT_FOUND ? 'there is no such command' : `it ended with exit code ${exitCode}`;
}
