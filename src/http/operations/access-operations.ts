import {
  CREATED_TOKEN,
  GRANTS,
  ORIGINS,
  OWNER_CODE,
  PAGE_TOKEN,
  REFUSED_REQUESTS,
  TOKENS,
} from '../../core/documents/answers/access-answers.ts';
import {DONE} from '../../core/documents/answers/store-answers.ts';
import {REVOKE_QUERY} from '../../core/documents/queries.ts';
import {ALLOWED_ORIGIN, CODE_EXCHANGE, GRANT_REQUEST, TOKEN_REQUEST} from '../../core/documents/requests.ts';
import {JSON_BODY_FAILURES, tagged} from './operation.ts';

/** Operations of the owner. */
export const ACCESS_OPERATIONS = tagged('Service', {
  'GET /api/allowed-origins': {
    operationId: 'listOrigins',
    summary: 'List the origins whose pages may call, and those that were refused',
    answers: {200: {description: 'Origins of other pages.', schema: ORIGINS}},
  },
  'POST /api/allowed-origins': {
    operationId: 'allowOrigin',
    summary: 'Allow the pages of an origin to call until the service ends',
    description:
      'Exactly this origin, as `--allow-origin` does. A page of the service itself needs a token of the owner.',
    body: {description: 'The origin.', schema: ALLOWED_ORIGIN.schema, example: {origin: 'http://localhost:3000'}},
    answers: {200: {description: 'Origins of other pages.', schema: ORIGINS}},
    failures: ['invalid-body', 'owner-required', ...JSON_BODY_FAILURES],
  },
  'POST /api/access/codes': {
    operationId: 'createOwnerCode',
    summary: 'Create a code with which the console is opened as the owner',
    description:
      'With the token of the owner as `Authorization: Bearer`. The code is valid for a minute, and once. `crewroom console` does this.',
    answers: {201: {description: 'The code.', schema: OWNER_CODE}},
    failures: ['owner-required', 'not-offered'],
  },
  'GET /api/access/tokens': {
    operationId: 'listTokens',
    summary: 'List the tokens of programs',
    description: 'With the token of the owner. The secrets are kept nowhere.',
    answers: {200: {description: 'Tokens in the order of their creation, expired ones too.', schema: TOKENS}},
    failures: ['owner-required'],
  },
  'POST /api/access/tokens': {
    operationId: 'createToken',
    summary: 'Create a token for a program',
    description: 'With the token of the owner. `crewroom token create` does this.',
    body: {
      description: 'The name of the token, its permissions, and when it expires.',
      schema: TOKEN_REQUEST.schema,
      example: {name: 'backup', permissions: ['entries:read:']},
    },
    answers: {201: {description: 'The token.', schema: CREATED_TOKEN}},
    failures: ['invalid-body', 'owner-required', ...JSON_BODY_FAILURES],
  },
  'DELETE /api/access/tokens/{name}': {
    operationId: 'revokeToken',
    summary: 'Revoke the token of a program',
    description: 'With the token of the owner. The token is refused at once, and its open streams end.',
    answers: {200: {description: 'Revoked.', schema: DONE}},
    failures: ['no-token', 'owner-required'],
  },
  'GET /api/access/grants': {
    operationId: 'listGrants',
    summary: 'List the permissions that plugins were given',
    description: 'With the token of the owner. They count in all modes of access but `open`.',
    answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
    failures: ['owner-required'],
  },
  'POST /api/access/grants': {
    operationId: 'grantPermissions',
    summary: 'Give a plugin permissions',
    description: 'With the token of the owner. `crewroom access grant` does this.',
    body: {
      description: 'The plugin, and the permissions to add to those that it has.',
      schema: GRANT_REQUEST.schema,
      example: {plugin: 'com.example.hello', permissions: ['identity:secrets']},
    },
    answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
    failures: ['invalid-body', 'owner-required', ...JSON_BODY_FAILURES],
  },
  'DELETE /api/access/grants/{plugin}': {
    operationId: 'revokePermissions',
    summary: 'Take a permission of a plugin back, or all',
    description: 'With the token of the owner. Open streams of the page and the background of the plugin end.',
    query: REVOKE_QUERY,
    answers: {200: {description: 'Plugins with permissions, by their ids.', schema: GRANTS}},
    failures: ['no-grant', 'owner-required'],
  },
  'GET /api/access/refused': {
    operationId: 'listRefused',
    summary: 'List what plugins were refused',
    description:
      'With the token of the owner. The last 100 since the start, without those that were granted since; none in the mode `open`.',
    answers: {200: {description: 'Refused requests, the newest first.', schema: REFUSED_REQUESTS}},
    failures: ['owner-required'],
  },
  'POST /api/access/page-tokens': {
    operationId: 'exchangeOwnerCode',
    summary: 'Exchange a code for a token of the owner, for a page of the console',
    description:
      'The token is valid until the service ends, or 12 hours without use. Served only at the host of the console.',
    body: {description: 'The code.', schema: CODE_EXCHANGE.schema},
    answers: {201: {description: 'The token.', schema: PAGE_TOKEN}},
    failures: ['invalid-code', 'no-resource', ...JSON_BODY_FAILURES],
  },
  'DELETE /api/access/pages': {
    operationId: 'endPages',
    summary: 'End the rights of the owner that pages have',
    description: 'With the token of a page, those of this page; with that of a program, those of all pages.',
    answers: {200: {description: 'Their tokens are refused from now on.', schema: DONE}},
    failures: ['owner-required'],
  },
});
