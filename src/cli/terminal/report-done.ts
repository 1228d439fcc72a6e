import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CliContext} from './context.ts';
import {escapeControls, jsonLine} from './escape.ts';

/** A command that can print JSON. */
export interface JsonCall {
  readonly context: CliContext;
  readonly flags: {readonly json: true | undefined};
}

/** Tells what a command did: a document with `--json`, or else a line on a terminal. @returns The exit code of success. */
export async function reportDone({context, flags}: JsonCall, document: object, line: string): Promise<ExitCode> {
  const {stdout, stderr} = context;
  if (flags.json) await stdout.write(jsonLine(document));
  else if (stderr.isTerminal) await stderr.write(`${escapeControls(line)}\n`);
  return EXIT.ok;
}
