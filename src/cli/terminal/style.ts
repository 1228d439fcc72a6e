import picocolors from 'picocolors';
import type {CliContext, Output} from './context.ts';

/** Marks that a terminal shows and everything else must not get. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/**
 * The marks for a stream. They do nothing where it is no terminal, or where colours are not wanted:
 * `NO_COLOR` is set to any text but the empty one, or the terminal is a dumb one.
 */
export function styleOf({isTerminal}: Output, {environment}: Pick<CliContext, 'environment'>): Style {
  const {NO_COLOR: noColor = '', TERM: terminal} = environment;
  return picocolors.createColors(isTerminal && noColor === '' && terminal !== 'dumb');
}
