import type {PluginAnswer} from '../../domain/plugins/plugin.ts';
import {AppError} from '../../failures/app-error.ts';
import type {AnswerMessage} from './channel/message.ts';

/** The call that an answer belongs to. */
export interface AnsweredCall {
  readonly plugin: string;
  readonly route: string;
  /** Masks secrets in messages of errors. */
  readonly mask: (text: string) => string;
}

/** Reads the answer to a call. The process that sends it runs the code of the plugin, so that nothing in it is trusted. */
export function readAnswer(message: AnswerMessage, body: Uint8Array, call: AnsweredCall): PluginAnswer | AppError {
  const {plugin, route, mask} = call;
  switch (message.kind) {
    case 'no-route':
      return new AppError({code: 'no-plugin-route', plugin, route, problem: 'the plugin has no such route'});
    case 'malformed':
      return new AppError({code: 'malformed-request', problem: mask(message.problem)});
    case 'failed': {
      const place = message.place === undefined ? {} : {place: mask(message.place)};
      return new AppError({code: 'plugin-failed', plugin, route, problem: mask(message.problem), ...place});
    }
    case 'file':
    case 'answer':
      if (isSendable(message)) return answerOf(message, body);
      return new AppError({code: 'plugin-failed', plugin, route, problem: 'its answer is not valid HTTP'});
    default:
      return message satisfies never;
  }
}

type Sendable = Extract<AnswerMessage, {readonly status: number}>;

function answerOf(message: Sendable, bytes: Uint8Array): PluginAnswer {
  const {status} = message;
  if (message.kind === 'file') return {status, body: {kind: 'file', path: message.path}};
  return {status, contentType: message.contentType, body: {kind: 'bytes', bytes}};
}

/** Returns whether an answer can be sent as HTTP. */
function isSendable(message: Sendable): boolean {
  const {status} = message;
  const contentType = message.kind === 'answer' ? message.contentType : undefined;
  const hasType = contentType === undefined || /^[\x20-\x7e]{1,200}$/.test(contentType);
  return Number.isInteger(status) && status >= 200 && status <= 599 && hasType;
}
