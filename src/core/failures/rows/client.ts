import type {ClientMembers} from '../members/client.ts';
import type {FailureIn} from '../members/members.ts';
import type {Rows} from './row.ts';
import {OWN_WORDS, quote} from './words.ts';

/** Failures of a client. */
export const CLIENT_ROWS: Rows<FailureIn<ClientMembers>> = {
  'service-unreachable': {
    exit: 'unreachable',
    text: OWN_WORDS['service-unreachable'],
    advice: 'Start it with "crewroom start", or name its port with --port',
    when: 'No program answers at the address. See [Keep it running](guides/keep-it-running.md).',
    example: {url: 'http://localhost:7172', problem: 'nothing listens there'},
  },
  'service-timeout': {
    exit: 'unreachable',
    text: OWN_WORDS['service-timeout'],
    advice: 'Run "crewroom doctor" to check the service',
    when: 'No answer came within the timeout of the client. See [Timeouts](client.md#timeouts-signals-and-retries).',
    example: {url: 'http://localhost:7172/api', timeoutMs: 30_000},
  },
  'invalid-value': {
    heading: ({key}) => `Cannot use the value of ${quote(key)}`,
    advice: 'Correct the value, or the schema that reads it; the text of the entry has the stored value',
    when: 'A value does not match the schema given to the client, or it has no JSON text. See [Values](client.md#values).',
    example: {key: 'a', problems: [{path: '$.volume', problem: 'is no number'}]},
  },
  'unexpected-answer': {
    text: OWN_WORDS['unexpected-answer'],
    advice: 'Another program, or another version of Crewroom, may be listening on the port; "crewroom doctor" names it',
    when: 'The answer is not one of this service. See [The HTTP API](http-api.md).',
    example: {url: 'http://x', status: 200, problem: 'it is not JSON'},
  },
};
