import {spawn} from 'node:child_process';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import type {CliContext} from '../terminal/context.ts';

/** Programs that come with the system, and copy their standard input. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {darwin: 'pbcopy', win32: 'clip'};

/**
 * Copies a text to the clipboard: with a program of the system, or else by asking the terminal (OSC 52), which works over SSH too.
 *
 * @returns The result, for the user.
 */
export async function copyText(
  text: string,
  {platform, environment, stderr}: Pick<CliContext, 'platform' | 'environment' | 'stderr'>,
): Promise<string> {
  const program = PROGRAMS[platform];
  if (program !== undefined) {
    const problem = await pipeTo(program, text, environment);
    return problem === undefined ? `Copied ${text}` : `Cannot copy ${text}: ${problem}`;
  }
  await stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  return `Asked the terminal to copy ${text}; not every terminal does`;
}

/** Runs a program with a text as its standard input. @returns Its problem, if any. */
function pipeTo(program: string, text: string, env: CliContext['environment']): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(program, {stdio: ['pipe', 'ignore', 'ignore'], env});
    child.once('error', error =>
      resolve(codeOf(error) === 'ENOENT' ? `there is no program "${program}"` : messageOf(error)),
    );
    child.once('exit', exitCode => resolve(exitCode === 0 ? undefined : `${program} failed`));
    // A program that fails may not read it.
    child.stdin.on('error', () => {}).end(text);
  });
}
