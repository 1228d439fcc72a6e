import type {Fault} from '../../src/core/domain/faults/fault.ts';

/** Address of a service. */
interface Target {
  readonly url: string;
}

/** Replaces the faults of a service over HTTP. */
export async function setFaults({url}: Target, ...faults: readonly unknown[]): Promise<readonly Fault[]> {
  const response = await fetch(`${url}/api/faults`, {method: 'PUT', body: JSON.stringify({faults})});
  const document = (await response.json()) as {readonly faults?: readonly Fault[]};
  if (document.faults === undefined) throw new Error(`The faults were refused: ${JSON.stringify(document)}`);
  return document.faults;
}

/** An answer, with the faults that it names. */
export interface FaultyAnswer {
  readonly status: number;
  /** The header `Crewroom-Fault`; null without. */
  readonly fault: string | null;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a request on a new connection, so that a connection that was cut before does not matter. */
export async function call({url}: Target, line: string, body?: string): Promise<FaultyAnswer> {
  const [method = '', path = ''] = line.split(' ');
  const sent = body === undefined ? {} : {body};
  const response = await fetch(url + path, {method, headers: {Connection: 'close'}, ...sent});
  const text = await response.text();
  return {
    status: response.status,
    fault: response.headers.get('Crewroom-Fault'),
    json: text === '' ? {} : JSON.parse(text),
  };
}
