import tab from '@bomb.sh/tab/commander';
import type {Command} from 'commander';
import {EXIT, type ExitCode} from './exit-codes.ts';

/** Answers a shell that asks how a command line could go on; `args` is what stands after `complete`. */
export function complete(program: Command, args: readonly string[]): ExitCode {
  const root = tab(program);
  // What shells call is nothing that people type.
  root.commands.delete('complete');
  root.parse(args[0] === '--' ? args.slice(1) : [...args]);
  return EXIT.ok;
}
