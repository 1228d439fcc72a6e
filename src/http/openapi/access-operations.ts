import {z} from 'zod';
import type {Method} from '../core/route.ts';
import type {OperationDescription} from './operations.ts';

/** Body of POST /api/access/page-tokens, for the documentation: `readCodeExchange` parses it. */
export const CODE_EXCHANGE = z.strictObject({code: z.string()});

const OWNER_CODE = z.strictObject({
  code: z.string(),
  expiresInSeconds: z.int().meta({description: 'Time in which the code has to be exchanged.'}),
});

const PAGE_TOKEN = z.strictObject({token: z.string().meta({description: 'Sent as `Authorization: Bearer`.'})});

const ORIGINS = z.strictObject({
  allowed: z.array(z.string()).meta({description: 'Origins whose pages may call.'}),
  refused: z
    .array(
      z.strictObject({
        origin: z.string(),
        count: z.int().meta({description: 'Number of refused requests.'}),
        at: z.iso.datetime().meta({description: 'Time of the last one.'}),
      }),
    )
    .meta({description: 'Origins whose pages were refused since the start, the last one first; at most 20.'}),
});

/** Body of POST /api/allowed-origins, for the documentation: `readAllowedOrigin` parses it. */
export const ALLOWED_ORIGIN = z.strictObject({origin: z.string()});

/** Operations of the owner. */
export const ACCESS_OPERATIONS: Readonly<Record<string, {readonly [M in Method]?: OperationDescription}>> = {
  '/api/allowed-origins': {
    GET: {
      operationId: 'listOrigins',
      tag: 'Service',
      summary: 'List the origins whose pages may call, and those that were refused',
      answers: {200: {description: 'Origins of other pages.', schema: ORIGINS}},
      failures: ['own-callers-only'],
    },
    POST: {
      operationId: 'allowOrigin',
      tag: 'Service',
      summary: 'Allow the pages of an origin to call until the service ends',
      description:
        'Exactly this origin, as `--allow-origin` does. A page of the service itself needs a token of the owner.',
      body: 'origin',
      answers: {200: {description: 'Origins of other pages.', schema: ORIGINS}},
      failures: [
        'invalid-origin',
        'owner-required',
        'own-callers-only',
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'unsupported-body',
      ],
    },
  },
  '/api/access/codes': {
    POST: {
      operationId: 'createOwnerCode',
      tag: 'Service',
      summary: 'Create a code with which the console is opened as the owner',
      description:
        'With the token of the owner as `Authorization: Bearer`. The code is valid for a minute, and once. `crewroom console` does this.',
      answers: {201: {description: 'The code.', schema: OWNER_CODE}},
      failures: ['owner-required', 'own-callers-only'],
    },
  },
  '/api/access/page-tokens': {
    POST: {
      operationId: 'exchangeOwnerCode',
      tag: 'Service',
      summary: 'Exchange a code for a token of the owner, for a page of the console',
      description:
        'The token is valid until the service ends. The page keeps it in its memory only. Served only at the host of the console.',
      body: 'owner-code',
      answers: {201: {description: 'The token.', schema: PAGE_TOKEN}},
      failures: [
        'invalid-code',
        'no-resource',
        'own-callers-only',
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'unsupported-body',
      ],
    },
  },
};
