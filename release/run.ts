import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';

/** Runs a program to its end. @returns Its output. @throws {Error} With what it said, if it fails. */
export async function run(command: string, args: readonly string[], folder: string): Promise<string> {
  const child = spawn(command, args, {cwd: folder, stdio: ['ignore', 'pipe', 'pipe']});
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (exitCode !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${errors}${output}`);
  return output;
}

/** Waits until all have ended, also if one fails: none still works in a folder that is removed then. @throws The first failure. */
export async function finishAll<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
