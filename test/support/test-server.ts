import {onTestFinished} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import type {Failure} from '../../src/core/failures/failure.ts';
import type {HttpHandler} from '../../src/http/core/message.ts';
import {type RunningServer, type ServerDeps, type ServerLimits, startServer} from '../../src/http/node/server.ts';
import {RawClient} from './raw-client.ts';

/** A server around a request handler of a test, without the service. */
export interface TestServer extends RunningServer {
  /** Failures of unreadable requests, in order. */
  readonly refused: Failure[];
  readonly errors: unknown[];
  connect(): Promise<RawClient>;
}

/** Overrides of the dependencies of a server, and of its limits. */
export interface TestServerDeps extends Partial<Omit<ServerDeps, 'limits'>> {
  readonly limits?: Partial<ServerLimits>;
}

/** Starts a server on a free port, until the test is finished. */
export async function startTestServer(
  handle: HttpHandler,
  {limits, ...deps}: TestServerDeps = {},
): Promise<TestServer> {
  const refused: Failure[] = [];
  const errors: unknown[] = [];
  const running = await startServer({
    handle,
    addresses: ['127.0.0.1'],
    port: 0,
    limits: {...DEFAULT_LIMITS, connectionsMax: 10, ...limits},
    answerLargeHeaders: answered => answered,
    newRequestId: () => 'id',
    onBadRequest: ({failure}) => void refused.push(failure as Failure),
    onError: error => void errors.push(error),
    ...deps,
  });
  onTestFinished(() => running[Symbol.asyncDispose]());
  const connect = async (): Promise<RawClient> => {
    const client = await RawClient.connect({port: running.port});
    onTestFinished(() => client[Symbol.dispose]());
    return client;
  };
  return {...running, refused, errors, connect};
}
