import type {AnswerMessage, CallMessage} from '../../channel/message.ts';
import type {Outbox} from '../../channel/outbox.ts';
import {logProblem, messageOfThrown, placeOfThrown} from '../values/problem.ts';
import {MalformedBody, RoutedRequest} from './request.ts';
import {RouteResponse} from './response.ts';
import type {RouteFunction} from './routes.ts';

/** A call of a route of this plugin. */
export interface RouteCall {
  readonly message: CallMessage;
  readonly body: Uint8Array;
  readonly route: RouteFunction;
  /** Directory of the plugin. */
  readonly directory: string;
  readonly outbox: Outbox;
}

/** Runs a route and sends its answer, which may come after it has returned. */
export function answerCall({message, body, route, directory, outbox}: RouteCall): void {
  let isAnswered = false;
  const answer = (answered: AnswerMessage, bytes?: string | Uint8Array): void => {
    if (isAnswered) logProblem(nameOf(message), new Error('it answers more than once'));
    else outbox.send(answered, bytes);
    isAnswered = true;
  };
  const fail = (error: unknown): void => {
    if (isAnswered) logProblem(`${nameOf(message)} failed after its answer`, error);
    else answer(describeFailure(message.call, error, directory));
  };
  try {
    const response = new RouteResponse({call: message.call, answer, fail});
    const returned = route(new RoutedRequest(message, body), response);
    // Most routes return their response, which need not be awaited.
    if (returned !== response) Promise.resolve(returned).catch(fail);
  } catch (error) {
    fail(error);
  }
}

function describeFailure(call: number, error: unknown, directory: string): AnswerMessage {
  if (error instanceof MalformedBody) return {kind: 'malformed', call, problem: error.message};
  return {kind: 'failed', call, problem: messageOfThrown(error), place: placeOfThrown(error, directory)};
}

function nameOf({method, name}: CallMessage): string {
  return `${method} ${name}`;
}
