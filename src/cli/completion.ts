import tab from '@bomb.sh/tab/commander';
import type {Command} from 'commander';
import {EXIT, type ExitCode} from './exit-codes.ts';

/** The shells that completion knows. */
export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Answers a shell that asks how a command line could go on; `args` is what stands after `complete`. */
export function complete(program: Command, args: readonly string[]): ExitCode {
  const root = tab(program);
  root.parse(args[0] === '--' ? args.slice(1) : [...args]);
  return EXIT.ok;
}
