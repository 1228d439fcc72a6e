import {spawn} from 'node:child_process';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {refusedUsage} from '../failures/usage.ts';
import type {CliContext} from '../terminal/context.ts';

/** Result of a program that ended. */
interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Asks the service manager of the user to do something.
 *
 * @throws {AppError} `service-manager-failed` if it fails; `invalid-usage` if this system has no systemd.
 */
export async function changeUnits(args: readonly string[], context: CliContext): Promise<void> {
  const {exitCode, errors} = await runProgram('systemctl', ['--user', ...args], context);
  if (exitCode !== 0) throw managerFailed(`systemctl --user ${args.join(' ')}`, errors);
}

/**
 * Asks the service manager of the user for a word about a unit, such as `active`.
 *
 * @throws {AppError} `service-manager-failed` if it gives none; `invalid-usage` if this system has no systemd.
 */
export async function askAboutUnit(
  question: 'is-active' | 'is-enabled',
  context: CliContext,
  unit: string,
): Promise<string> {
  const {output, errors} = await runProgram('systemctl', ['--user', question, unit], context);
  // Its exit code is that of the answer. Without a connection to the manager there is only an error.
  const answer = output.trim();
  if (answer === '') throw managerFailed(`systemctl --user ${question} ${unit}`, errors);
  return answer;
}

/**
 * Returns the last lines that a unit of the user logged.
 *
 * @throws {AppError} `service-manager-failed` if the log cannot be read; `invalid-usage` if this system has no systemd.
 */
export async function readUnitLog(unit: string, lines: number, context: CliContext): Promise<string> {
  const args = ['--user', '--unit', unit, '--no-pager', '--output', 'cat', '--lines', String(lines)];
  const {exitCode, output, errors} = await runProgram('journalctl', args, context);
  if (exitCode !== 0) throw managerFailed(`journalctl ${args.join(' ')}`, errors);
  return output;
}

/** Creates the failure of a command of the service manager. Its first line has the reason. */
function managerFailed(command: string, errors: string): AppError {
  const problem = errors.trim().split('\n')[0] || 'it gave no reason';
  return new AppError({code: 'service-manager-failed', command, problem});
}

function runProgram(program: string, args: readonly string[], {environment: env}: CliContext): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], env: {...env}});
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.once('error', error => {
      if (codeOf(error) === 'ENOENT') reject(withoutSystemd());
      else reject(managerFailed(program, messageOf(error)));
    });
    child.once('close', exitCode => resolve({exitCode, output, errors}));
  });
}

/** Creates the failure on a system without systemd. */
export function withoutSystemd(): Error {
  return refusedUsage(
    'service',
    'this system has no systemd',
    'The guide "Keep it running" has recipes for macOS and Windows',
  );
}
