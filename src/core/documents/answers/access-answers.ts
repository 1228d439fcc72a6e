import * as v from 'valibot';
import {closed, described, maybe, TIME} from '../kinds.ts';
import {anyText, whole} from './answer-kinds.ts';

/** Answer of POST /api/access/codes. */
export const OWNER_CODE = closed({
  code: anyText,
  expiresInSeconds: described(whole, 'Time in which the code has to be exchanged.'),
});

/** Answer of POST /api/access/page-tokens. */
export const PAGE_TOKEN = closed({token: described(anyText, 'Sent as `Authorization: Bearer`.')});

/** Answer of /api/allowed-origins. */
export const ORIGINS = closed({
  allowed: described(v.array(anyText), 'Origins whose pages may call.'),
  refused: described(
    v.array(
      closed({
        origin: anyText,
        count: described(whole, 'Number of refused requests.'),
        refusedAt: described(TIME, 'Time of the last one.'),
      }),
    ),
    'Origins whose pages were refused since the start, the last one first; at most 20.',
  ),
});

/** Answer of GET /api/access/tokens. */
export const TOKENS = closed({
  tokens: v.array(
    closed({
      name: anyText,
      permissions: v.array(anyText),
      createdAt: TIME,
      expiresAt: maybe(TIME, 'Absent if it does not expire.'),
    }),
  ),
});

/** Answer of POST /api/access/tokens. */
export const CREATED_TOKEN = closed({
  token: described(anyText, 'The secret: `crewroom_` and 43 characters. It is shown only here.'),
});

/** Answer of /api/access/refused. */
export const REFUSED_REQUESTS = closed({
  refused: v.array(
    closed({
      plugin: anyText,
      method: anyText,
      path: described(anyText, 'Path of the last one, without its query.'),
      permission: described(anyText, 'The narrowest permission that includes it.'),
      count: whole,
      refusedAt: described(TIME, 'Time of the last one.'),
    }),
  ),
});

/** Answer of /api/access/grants. */
export const GRANTS = closed({grants: v.array(closed({plugin: anyText, permissions: v.array(anyText)}))});
