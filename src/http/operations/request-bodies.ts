import type {GenericSchema} from 'valibot';
import {FLIGHT_COMMAND} from '../../documents/answers/plugin-answers.ts';
import {FAULTS} from '../../documents/faults.ts';
import {ALLOWED_ORIGIN, CODE_EXCHANGE, GRANT_REQUEST, PILOT_CHOICE, TOKEN_REQUEST} from '../../documents/requests.ts';
import {MERGE_PATCH_TYPE} from '../core/body.ts';
import type {OperationDescription} from './operation.ts';

/** A body of a request in the OpenAPI document. */
interface RequestBody {
  readonly description: string;
  /** @default {'application/json'} */
  readonly contentType?: string;
  /** A string in place of a schema names a component; without a schema the body is text. */
  readonly schema?: GenericSchema | 'Value' | 'MergePatch' | 'SignIn' | 'Transaction';
  readonly example?: unknown;
}

/** The bodies of requests, by their kinds. */
export const REQUEST_BODIES: {readonly [B in NonNullable<OperationDescription['body']>]: RequestBody} = {
  value: {
    description: 'A JSON text. It is read as JSON whatever the content type says, except multipart.',
    schema: 'Value',
    example: {volume: 0.5},
  },
  'merge-patch': {
    description:
      'A JSON Merge Patch. It is read as one whatever the content type says, except multipart and application/json-patch+json.',
    contentType: MERGE_PATCH_TYPE,
    schema: 'MergePatch',
    example: {volume: 0.75},
  },
  'sign-in': {description: 'The credentials, and the back end.', schema: 'SignIn'},
  flight: {
    description: 'A change of the simulated flight.',
    schema: FLIGHT_COMMAND,
    example: {action: 'start', speed: 60},
  },
  pilot: {description: 'The name of a sample pilot.', schema: PILOT_CHOICE.schema, example: {name: 'first-officer'}},
  faults: {
    description: 'Faults to switch on: with PUT all that are to be on.',
    schema: FAULTS,
    example: {faults: [{kind: 'error', code: 'store-busy', path: '/api/store/*', probability: 0.3, seed: 7}]},
  },
  origin: {description: 'The origin.', schema: ALLOWED_ORIGIN.schema, example: {origin: 'http://localhost:3000'}},
  grant: {
    description: 'The plugin, and the permissions to add to those that it has.',
    schema: GRANT_REQUEST.schema,
    example: {plugin: 'com.example.hello', permissions: ['identity:secrets']},
  },
  token: {
    description: 'The name of the token, its permissions, and when it expires.',
    schema: TOKEN_REQUEST.schema,
    example: {name: 'backup', permissions: ['entries:read:']},
  },
  'owner-code': {description: 'The code.', schema: CODE_EXCHANGE.schema},
  transaction: {
    description: 'Checks and operations.',
    schema: 'Transaction',
    example: {
      checks: [{key: 'com.example.hello/lock', absent: true}],
      operations: [{kind: 'put', key: 'com.example.hello/settings', value: {volume: 0.5}}],
    },
  },
  export: {
    description: 'The lines of an export. They are read as such whatever the content type says, except multipart.',
    contentType: 'application/x-ndjson',
  },
};
