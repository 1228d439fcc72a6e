import picocolors from 'picocolors';

/** Marks that a terminal shows and everything else must not get. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** What decides whether colours are wanted. */
export interface StyleOptions {
  readonly isTerminal: boolean;
  /** `NO_COLOR` of the environment: any text but the empty one means no colours. */
  readonly noColor: string | undefined;
}

/** Makes the marks for a stream; they do nothing where colours are not wanted. */
export function createStyle({isTerminal, noColor}: StyleOptions): Style {
  return picocolors.createColors(isTerminal && (noColor === undefined || noColor === ''));
}
