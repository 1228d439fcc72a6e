import picocolors from 'picocolors';
import type {CliContext, Output} from './context.ts';

/** Colours and weights of a terminal. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/**
 * Returns the style for a stream. It changes nothing if the stream is not a terminal, if `NO_COLOR` is set and not empty, or if
 * the terminal is a dumb one.
 */
export function styleOf({isTerminal}: Output, {environment}: Pick<CliContext, 'environment'>): Style {
  const {NO_COLOR: noColor = '', TERM: terminal} = environment;
  return picocolors.createColors(isTerminal && noColor === '' && terminal !== 'dumb');
}
