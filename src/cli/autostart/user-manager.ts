import type {CliContext} from '../terminal/context.ts';
import {managerFailed, runSystemProgram} from './run-system-program.ts';

/**
 * Asks the service manager of the user to do something.
 *
 * @throws {AppError} `service-manager-failed` if it fails; `invalid-usage` if this system has no systemd.
 */
export async function changeUnits(args: readonly string[], context: CliContext): Promise<void> {
  const {exitCode, errors} = await runSystemProgram('systemctl', ['--user', ...args], context);
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
  const {output, errors} = await runSystemProgram('systemctl', ['--user', question, unit], context);
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
  const {exitCode, output, errors} = await runSystemProgram('journalctl', args, context);
  if (exitCode !== 0) throw managerFailed(`journalctl ${args.join(' ')}`, errors);
  return output;
}
