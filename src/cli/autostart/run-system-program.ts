import {spawn} from 'node:child_process';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {refusedUsage} from '../failures/usage.ts';
import type {CliContext} from '../terminal/context.ts';

/** Result of a program that ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a program of the system to its end.
 *
 * @throws {AppError} `service-manager-failed` if it cannot be started; `invalid-usage` if this system does not have it.
 */
export function runSystemProgram(
  program: string,
  args: readonly string[],
  {environment: env}: Pick<CliContext, 'environment'>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], env: {...env}, windowsHide: true});
    child.once('error', error => {
      if (codeOf(error) === 'ENOENT') reject(withoutManager(program));
      else reject(managerFailed(program, messageOf(error)));
    });
    let output = '';
    let errors = '';
    // The pipes are missing without file descriptors.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.once('close', exitCode => resolve({exitCode, output, errors}));
  });
}

/** Creates the failure of a command of the service manager. Its first line has the reason. */
export function managerFailed(command: string, errors: string): AppError {
  const problem = errors.trim().split('\n')[0]?.trim() || 'it gave no reason';
  return new AppError({code: 'service-manager-failed', command, problem});
}

/** Creates the failure on a system without the program that starts services. */
export function withoutManager(program: string): Error {
  const problem = program.startsWith('systemctl') ? 'this system has no systemd' : `this system has no ${program}`;
  return refusedUsage('service', problem, 'Start it with "crewroom start --detached"');
}
