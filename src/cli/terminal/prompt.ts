import type {CliContext} from './context.ts';

/** Whether somebody is there to be asked. */
export function canAsk({stdin, stderr}: CliContext): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

/** Asks for a yes; anything else is a no. */
export async function confirm(question: string, {stdin, stderr}: CliContext): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(await stdin.line());
}
