import type {Socket} from 'node:net';
import type {Failure} from '../../domain/failure.ts';
import {failureAnswer} from '../core/failure-response.ts';
import type {WholeAnswer} from '../core/message.ts';
import {sendRaw} from './send.ts';

/** What refusing needs. */
export interface RefuseDeps {
  readonly newRequestId: () => string;
  /** Told of requests that could not even be read. */
  readonly onBadRequest: (failure: Failure, requestId: string) => void;
  readonly timeouts: {
    /** For the rest of a request that is already answered, in milliseconds. */
    readonly lingerMs: number;
  };
}

/** Makes the answer to what could not be read or answered, and tells of it. */
export function reportBadRequest(
  failure: Failure,
  {newRequestId, onBadRequest}: Pick<RefuseDeps, 'newRequestId' | 'onBadRequest'>,
): WholeAnswer {
  const requestId = newRequestId();
  onBadRequest(failure, requestId);
  return failureAnswer(failure, requestId);
}

/** Answers with a failure where there is no request to answer, and ends the connection. */
export function refuse(socket: Socket, failure: Failure, deps: RefuseDeps): void {
  if (!socket.writable) socket.destroy();
  else sendRaw(socket, reportBadRequest(failure, deps), deps.timeouts.lingerMs);
}
