import {z} from 'zod';
import {PERMISSION_NAMES} from '../../domain/access.ts';
import type {Method} from '../core/route.ts';
import type {OperationDescription} from './operations.ts';
import {REVOKE_QUERY} from './parameters.ts';
import {DONE} from './schemas.ts';

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

/** Body of POST /api/access/tokens, for the documentation: `readTokenRequest` parses it. */
export const TOKEN_REQUEST = z.strictObject({
  name: z.string().meta({description: 'Unique; letters, digits, dots, dashes and underscores.'}),
  permissions: z.array(z.string()).meta({
    description: `Of ${PERMISSION_NAMES.join(', ')}, entries:read:PREFIX and entries:write:PREFIX; a prefix is empty or ends in a slash.`,
  }),
  expiresAt: z.iso
    .datetime({offset: true})
    .optional()
    .meta({description: 'End of its validity; without it, it does not expire.'}),
});

const TOKENS = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string(),
      permissions: z.array(z.string()),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime().optional().meta({description: 'Absent if it does not expire.'}),
    }),
  ),
});

const CREATED_TOKEN = z.strictObject({
  token: z.string().meta({description: 'The secret: `crewroom_` and 43 characters. It is shown only here.'}),
});

/** Body of POST /api/access/grants, for the documentation: `readGrantRequest` parses it. */
export const GRANT_REQUEST = z.strictObject({
  plugin: z.string().meta({description: 'Id of a plugin, which need not be installed.'}),
  permissions: z.array(z.string()).meta({description: 'To add to those that it has.'}),
});

const GRANTS = z.strictObject({
  grants: z.array(z.strictObject({plugin: z.string(), permissions: z.array(z.string())})),
});

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
      failures: ['owner-required', 'code-unavailable', 'own-callers-only'],
    },
  },
  '/api/access/tokens': {
    GET: {
      operationId: 'listTokens',
      tag: 'Service',
      summary: 'List the tokens of programs',
      description: 'With the token of the owner. The secrets are kept nowhere.',
      answers: {200: {description: 'Tokens in the order of their creation, expired ones too.', schema: TOKENS}},
      failures: ['owner-required', 'own-callers-only'],
    },
    POST: {
      operationId: 'createToken',
      tag: 'Service',
      summary: 'Create a token for a program',
      description: 'With the token of the owner. `crewroom token create` does this.',
      body: 'token',
      answers: {201: {description: 'The token.', schema: CREATED_TOKEN}},
      failures: [
        'invalid-token-request',
        'owner-required',
        'own-callers-only',
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'unsupported-body',
      ],
    },
  },
  '/api/access/tokens/{token}': {
    DELETE: {
      operationId: 'revokeToken',
      tag: 'Service',
      summary: 'Revoke the token of a program',
      description: 'With the token of the owner. The token is refused at once, and its open streams end.',
      answers: {200: {description: 'Revoked.', schema: DONE}},
      failures: ['no-token', 'owner-required', 'own-callers-only'],
    },
  },
  '/api/access/grants': {
    GET: {
      operationId: 'listGrants',
      tag: 'Service',
      summary: 'List the permissions that plugins were given',
      description: 'With the token of the owner. They count in all modes of access but `open`.',
      answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
      failures: ['owner-required', 'own-callers-only'],
    },
    POST: {
      operationId: 'grantPermissions',
      tag: 'Service',
      summary: 'Give a plugin permissions',
      description: 'With the token of the owner. `crewroom access grant` does this.',
      body: 'grant',
      answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
      failures: [
        'invalid-grant-request',
        'owner-required',
        'own-callers-only',
        'invalid-json',
        'value-too-deep',
        'value-too-large',
        'unsupported-body',
      ],
    },
  },
  '/api/access/grants/{plugin}': {
    DELETE: {
      operationId: 'revokePermissions',
      tag: 'Service',
      summary: 'Take a permission of a plugin back, or all',
      description: 'With the token of the owner. Open streams of the page and the background of the plugin end.',
      query: REVOKE_QUERY,
      answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
      failures: ['no-grant', 'owner-required', 'own-callers-only'],
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
