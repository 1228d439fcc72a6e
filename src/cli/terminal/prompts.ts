import type {Readable} from 'node:stream';
import type {WriteStream} from 'node:tty';
import type {CliContext} from './context.ts';
import {InterruptedError} from './interruptible.ts';

/** Whether somebody is there to be asked. */
export function canAsk({stdin, stderr}: CliContext): boolean {
  return stdin.isTerminal && stderr.isTerminal;
}

/** Asks for a yes; anything else is a no. */
export async function confirm(question: string, {stdin, stderr}: CliContext): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(await stdin.line());
}

/** What somebody is asked. */
export interface Question {
  readonly message: string;
  /** What shows how an answer looks. */
  readonly example?: string;
  /** What stands there already, to be taken or changed. */
  readonly initial?: string | undefined;
  /** Says what is wrong with an answer. */
  readonly findProblem?: (answer: string) => string | undefined;
}

/**
 * Asks somebody at a terminal for a line.
 *
 * @throws {InterruptedError} When they press Ctrl+C or Esc.
 */
export async function askText(question: Question, context: CliContext): Promise<string> {
  const {text, isCancel} = await loadPrompts();
  const {example, initial} = question;
  const answer = await text({
    ...describe(question, context),
    ...(example === undefined ? {} : {placeholder: example}),
    ...(initial === undefined ? {} : {initialValue: initial}),
  });
  if (isCancel(answer)) throw new InterruptedError();
  return answer.trim();
}

/**
 * Asks somebody at a terminal for what nobody should see: it is not shown, and neither is its length.
 *
 * @throws {InterruptedError} When they press Ctrl+C or Esc.
 */
export async function askSecret(question: Question, context: CliContext): Promise<string> {
  const {password, isCancel} = await loadPrompts();
  const answer = await password({...describe(question, context), mask: ''});
  if (isCancel(answer)) throw new InterruptedError();
  return answer;
}

/** The library costs more to load than a command: only who asks pays for it. */
function loadPrompts(): Promise<typeof import('@clack/prompts')> {
  return import('@clack/prompts');
}

function describe({message, findProblem}: Question, {stdin, stderr}: CliContext) {
  return {
    message,
    input: stdin.stream as Readable,
    output: knowingItsSize(stderr.stream as WriteStream),
    withGuide: false,
    validate: (answer: string | undefined) => {
      if (answer === undefined || answer.trim() === '') return 'It is needed';
      return findProblem?.(answer.trim());
    },
  };
}

/** The size of a terminal that does not say it, in characters. */
const COLUMNS = 80;
const ROWS = 24;

/** Some terminals give 0, and the library would put each letter on a line of its own. */
function knowingItsSize(stream: WriteStream): WriteStream {
  if (stream.columns === 0) stream.columns = COLUMNS;
  if (stream.rows === 0) stream.rows = ROWS;
  return stream;
}
