import type {Readable} from 'node:stream';
import type {WriteStream} from 'node:tty';
import type {CliContext} from './context.ts';
import {InterruptedError} from './interruptible.ts';

/** Returns whether the user can be asked: both streams are terminals. */
export function canAsk({stdin, stderr}: CliContext): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

/** Asks a question; every answer but yes means no. */
export async function confirm(question: string, {stdin, stderr}: CliContext): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(await stdin.line());
}

/** A question to the user. */
export interface Question {
  readonly message: string;
  /** An example of an answer. */
  readonly example?: string;
  /** The answer to begin with, which the user can accept or change. */
  readonly initial?: string | undefined;
  /** Returns the problem with an answer, if any. */
  readonly findProblem?: (answer: string) => string | undefined;
}

/**
 * Asks for a line on the terminal.
 *
 * @throws {InterruptedError} If the user presses Ctrl+C or Esc.
 */
export async function askText(question: Question, context: CliContext): Promise<string> {
  const {text} = await loadPrompts();
  const {example: placeholder = '', initial: initialValue = ''} = question;
  return (await answered(text({...describe(question, context), placeholder, initialValue}))).trim();
}

/** Asks for a secret as {@link askText} does: neither the answer nor its length is shown. */
export async function askSecret(question: Question, context: CliContext): Promise<string> {
  const {password} = await loadPrompts();
  return answered(password({...describe(question, context), mask: ''}));
}

async function answered(asked: Promise<string | symbol>): Promise<string> {
  const answer = await asked;
  // The library returns a symbol for a question that was cancelled.
  if (typeof answer === 'symbol') throw new InterruptedError();
  return answer;
}

/** Loads the library on first use: loading it takes longer than a whole command. */
function loadPrompts(): Promise<typeof import('@clack/prompts')> {
  return import('@clack/prompts');
}

function describe({message, findProblem}: Question, {stdin, stderr}: CliContext) {
  return {
    message,
    input: stdin.stream as Readable,
    output: withSize(stderr.stream as WriteStream),
    withGuide: false,
    validate: (answer: string | undefined) => {
      if (answer === undefined || answer.trim() === '') return 'An answer is required';
      return findProblem?.(answer.trim());
    },
  };
}

/** Default size of a terminal, in characters. */
const COLUMNS = 80;
const ROWS = 24;

/** Gives a stream a size if it reports 0, since the library would print each letter on its own line. */
function withSize(stream: WriteStream): WriteStream {
  if (stream.columns === 0) stream.columns = COLUMNS;
  if (stream.rows === 0) stream.rows = ROWS;
  return stream;
}
