import {MERGE_PATCH_TYPE} from '../core/body.ts';
import {ALLOWED_ORIGIN, CODE_EXCHANGE, GRANT_REQUEST, TOKEN_REQUEST} from './access-operations.ts';
import {FAULTS} from './fault-schemas.ts';
import {PILOT_CHOICE} from './identity-schemas.ts';
import {type JsonObject, toSchema} from './json-schema.ts';
import type {OperationDescription} from './operations.ts';
import {FLIGHT_COMMAND} from './plugin-schemas.ts';

const TRANSACTION_EXAMPLE = {
  checks: [{key: 'com.example.hello/lock', absent: true}],
  operations: [{kind: 'put', key: 'com.example.hello/settings', value: {volume: 0.5}}],
};

const FAULTS_EXAMPLE = {faults: [{kind: 'error', code: 'store-busy', path: '/api/store/*', probability: 0.3, seed: 7}]};

/** The bodies of requests, by their kinds. */
export const REQUEST_BODIES: {readonly [B in NonNullable<OperationDescription['body']>]: JsonObject} = {
  value: {
    required: true,
    description: 'A JSON text. It is read as JSON whatever the content type says, except multipart.',
    content: {'application/json': {schema: {$ref: '#/components/schemas/Value'}, example: {volume: 0.5}}},
  },
  'merge-patch': {
    required: true,
    description:
      'A JSON Merge Patch. It is read as one whatever the content type says, except multipart and application/json-patch+json.',
    content: {[MERGE_PATCH_TYPE]: {schema: {$ref: '#/components/schemas/MergePatch'}, example: {volume: 0.75}}},
  },
  'sign-in': {
    required: true,
    description: 'The credentials, and the back end.',
    content: {'application/json': {schema: {$ref: '#/components/schemas/SignIn'}}},
  },
  flight: {
    required: true,
    description: 'A change of the simulated flight.',
    content: {'application/json': {schema: toSchema(FLIGHT_COMMAND), example: {action: 'start', speed: 60}}},
  },
  pilot: {
    required: true,
    description: 'The name of a sample pilot.',
    content: {'application/json': {schema: toSchema(PILOT_CHOICE), example: {name: 'first-officer'}}},
  },
  faults: {
    required: true,
    description: 'Faults to switch on: with PUT all that are to be on.',
    content: {'application/json': {schema: toSchema(FAULTS), example: FAULTS_EXAMPLE}},
  },
  origin: {
    required: true,
    description: 'The origin.',
    content: {'application/json': {schema: toSchema(ALLOWED_ORIGIN), example: {origin: 'http://localhost:3000'}}},
  },
  grant: {
    required: true,
    description: 'The plugin, and the permissions to add to those that it has.',
    content: {
      'application/json': {
        schema: toSchema(GRANT_REQUEST),
        example: {plugin: 'com.example.hello', permissions: ['identity:secrets']},
      },
    },
  },
  token: {
    required: true,
    description: 'The name of the token, its permissions, and when it expires.',
    content: {
      'application/json': {
        schema: toSchema(TOKEN_REQUEST),
        example: {name: 'backup', permissions: ['entries:read:']},
      },
    },
  },
  'owner-code': {
    required: true,
    description: 'The code.',
    content: {'application/json': {schema: toSchema(CODE_EXCHANGE)}},
  },
  transaction: {
    required: true,
    description: 'Checks and operations.',
    content: {'application/json': {schema: {$ref: '#/components/schemas/Transaction'}, example: TRANSACTION_EXAMPLE}},
  },
  export: {
    required: true,
    description: 'The lines of an export. They are read as such whatever the content type says, except multipart.',
    content: {'application/x-ndjson': {schema: {type: 'string'}}},
  },
};
