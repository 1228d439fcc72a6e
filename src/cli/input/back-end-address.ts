import {readScriptUrl} from '../../service/identity/backend/script-url.ts';
import {invalidUsage} from '../failures/report.ts';
import type {Question} from '../terminal/prompts.ts';

/** Asks for the address of a back end. */
export const BACK_END_QUESTION: Question = {
  message: 'Address of the airline’s back end (scriptURL)',
  example: 'https://air.example/back-end/',
  findProblem: answer => {
    const reading = readScriptUrl(answer);
    return 'problem' in reading ? `It ${reading.problem}` : undefined;
  },
};

/** Reads the value of `--script-url`, or an answer. @throws {AppError} `invalid-usage`. */
export function parseScriptUrl(text: string, command: string): string {
  const reading = readScriptUrl(text);
  if ('problem' in reading) throw invalidUsage(command, `--script-url ${reading.problem}`);
  return reading.scriptURL;
}
