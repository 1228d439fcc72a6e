import type {GenericSchema} from 'valibot';
import {TRANSACTION} from '../../core/documents/answers/store-answers.ts';
import {FLIGHT_CHANGE, FLIGHT_FRAME, FLIGHT_OPTIONS} from '../../core/documents/flight.ts';
import {
  ALLOWED_ORIGIN,
  CODE_EXCHANGE,
  FAULTS,
  GRANT_REQUEST,
  PILOT_CHOICE,
  SIGN_IN,
  TOKEN_REQUEST,
} from '../../core/documents/requests.ts';
import {MERGE_PATCH_TYPE} from '../core/body.ts';

/** A body of a request in the OpenAPI document. */
interface RequestBody {
  readonly description: string;
  /** @default {'application/json'} */
  readonly contentType?: string;
  /** A string is any JSON; without a schema the body is text. */
  readonly schema?: GenericSchema | 'Value' | 'MergePatch';
  readonly example?: unknown;
}

/** The bodies of requests, by their kinds. */
export const REQUEST_BODIES = {
  value: {
    description: 'A JSON text. It is read as JSON whatever the content type says, except multipart and patches.',
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
  'sign-in': {description: 'The credentials, and the back end.', schema: SIGN_IN.schema},
  flight: {description: 'The flight to start.', schema: FLIGHT_OPTIONS, example: {from: 'EDDF', to: 'LPMA', speed: 60}},
  'flight-change': {
    description: 'Members of the flight to change.',
    schema: FLIGHT_CHANGE,
    example: {isPaused: true, speed: 4},
  },
  'flight-frame': {
    description: 'The figures of the flight at one moment, as far as the simulator has them.',
    schema: FLIGHT_FRAME,
    example: {timeSeconds: 12.5, simulator: 'FlightGear', latitude: 50.03, longitude: 8.57, onGround: true},
  },
  pilot: {description: 'The name of a sample pilot.', schema: PILOT_CHOICE.schema, example: {name: 'first-officer'}},
  faults: {
    description: 'Faults to switch on: with PUT all that are to be on.',
    schema: FAULTS.schema,
    example: {faults: [{kind: 'error', code: 'busy', path: '/api/store/*'}]},
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
    schema: TRANSACTION,
    example: {
      checks: [{key: 'com.example.hello/lock', absent: true}],
      operations: [{kind: 'put', key: 'com.example.hello/settings', value: {volume: 0.5}}],
    },
  },
  export: {
    description:
      'The lines of an export. They are read as such whatever the content type says, except multipart and patches.',
    contentType: 'application/x-ndjson',
  },
} satisfies Readonly<Record<string, RequestBody>>;
