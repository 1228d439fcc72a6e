import type {Socket} from 'node:net';
import {AppError} from '../../failures/app-error.ts';
import type {Failure} from '../../failures/failure.ts';
import {failureAnswer} from '../core/failure-response.ts';
import type {WholeAnswer} from '../core/message.ts';
import {type Connection, type Exchange, PIPELINED_MAX} from './connections/connection.ts';
import {sendRaw} from './send.ts';
import type {ServerTimeouts} from './timeouts.ts';

export interface RefuseDeps {
  readonly newRequestId: () => string;
  /** Called for each request that could not be read or answered. */
  readonly onBadRequest: (error: AppError, requestId: string) => void;
  readonly timeouts: Pick<ServerTimeouts, 'lingerMs'>;
}

export interface ExchangeDeps extends RefuseDeps {
  readonly timeouts: ServerTimeouts;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Reports a request that could not be read or answered. @returns The answer to it. */
export function reportBadRequest(
  failure: Failure,
  {newRequestId, onBadRequest}: Pick<RefuseDeps, 'newRequestId' | 'onBadRequest'>,
): WholeAnswer {
  const requestId = newRequestId();
  const error = new AppError(failure);
  onBadRequest(error, requestId);
  return failureAnswer(error, requestId);
}

/** Answers on a socket without a request, and closes the connection. @param further Further headers of the answer. */
export function closeWithFailure(
  socket: Socket,
  failure: Failure,
  deps: RefuseDeps,
  further: readonly string[] = [],
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answered = reportBadRequest(failure, deps);
  sendRaw(socket, {...answered, rawHeaders: [...answered.rawHeaders, ...further]}, deps.timeouts.lingerMs);
}

/** Enqueues an exchange, or closes the connection if too many wait already. */
export function enqueueOrClose(connection: Connection, exchange: Exchange, deps: RefuseDeps): void {
  if (connection.enqueue(exchange)) return;
  reportBadRequest(
    {code: 'malformed-request', problem: `${PIPELINED_MAX} requests wait on its connection already`},
    deps,
  );
  connection.socket.destroy();
}
