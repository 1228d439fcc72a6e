import type {ClientMembers} from '../members/client.ts';
import type {DataFailure} from '../members/data.ts';
import type {FailureIn} from '../members/members.ts';
import {describeProblem} from '../members/problems.ts';

/** A failure that a client throws itself. */
type OwnFailure =
  | FailureIn<ClientMembers>
  | Extract<DataFailure, {code: 'invalid-key' | 'invalid-json' | 'invalid-parameter'}>;

/** The words of failures that clients throw themselves. Web pages load these alone: the service sends its words. */
export const OWN_WORDS: {readonly [C in OwnFailure['code']]: (failure: Extract<OwnFailure, {code: C}>) => string} = {
  'invalid-key': ({key, problem}) => `Cannot use the key ${quote(key)}: ${problem}`,
  'invalid-json': ({problem, position}) => `Cannot read the value as JSON: ${problem} at byte ${position}`,
  'invalid-parameter': ({parameter, problem}) => `Cannot use the parameter ${quote(parameter)}: ${problem}`,
  'service-unreachable': ({url, problem}) => `Cannot reach the service at ${url}: ${problem}`,
  'service-timeout': ({url, timeoutMs}) => `Cannot wait longer for ${url}: no answer within ${timeoutMs} ms`,
  'invalid-value': ({key, problems}) =>
    `Cannot use the value of ${quote(key)}: ${problems.map(describeProblem).join('; ')}`,
  'unexpected-answer': ({url, status, problem}) => `Cannot understand the answer ${status} of ${url}: ${problem}`,
};

/** Quotes a text within a message. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Returns a message of one line. Errors of the platform, such as those of JSON.stringify(), have several lines. */
export function oneLine(message: string): string {
  return message.replaceAll(/[\r\n]\s*/g, ' ');
}
