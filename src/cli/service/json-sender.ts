import {parseAnswer} from '../../client/answer.ts';
import {openTransport} from '../../client/options.ts';
import {isSentFailure} from '../../failures/failure.ts';
import type {ServiceAddress} from '../../system/loopback.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import {type ConnectedClient, type ConnectOptions, connect} from './connection.ts';

/** Sends requests with JSON to a running service. */
export interface JsonSender {
  /** Address of the service. */
  readonly url: string;
  readonly address: ServiceAddress;
  /** Sends a request and reads its answer. Throws what the service threw. */
  send<T>(method: string, path: string, read: (json: string) => T, body?: string): Promise<T>;
}

/** Creates a sender to the service that the settings of a call name. Sends nothing yet. */
export async function connectJson(call: SettingsCall, options: ConnectOptions = {}): Promise<JsonSender> {
  return createJsonSender(await connect(call, options), options);
}

/** Creates a sender to a service. Sends nothing yet. */
export function createJsonSender(
  {url, address, fetch}: Pick<ConnectedClient, 'url' | 'address' | 'fetch'>,
  {timeoutMs}: Pick<ConnectOptions, 'timeoutMs'> = {},
): JsonSender {
  const timeout = timeoutMs === undefined ? {} : {timeoutMs};
  const transport = openTransport({...timeout, baseUrl: url, fetch}, isSentFailure);
  return {
    url,
    address,
    send: async (method, path, read, body) => {
      const sent = body === undefined ? {} : {body: new TextEncoder().encode(body), headers: JSON_BODY};
      return parseAnswer(await transport.send(method, path, sent), read);
    },
  };
}

const JSON_BODY = {'Content-Type': 'application/json'};
