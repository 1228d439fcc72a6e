import {z} from 'zod';
import {SAMPLE_PILOT_NAMES} from '../../domain/pilots.ts';
import {CREDENTIAL_LENGTH_MAX} from '../../domain/session.ts';

const SOURCE = z.enum(['back-end', 'profile', 'sample', 'none']).meta({
  description: 'Where the identity comes from; "back-end" is the back end of the airline.',
});

const SESSION_STATE = z.enum(['signed-out', 'signed-in', 'expired']);

const STALE = z.literal(true).optional().meta({
  description: 'The back end of the airline could not confirm the session; the last known identity is served.',
});

const SUMMARY = z
  .string()
  .optional()
  .meta({description: 'The pilot and the airline, for people; absent if no pilot is signed in.'});

/** Body of POST /api/session, for the documentation: `readSignIn` parses it, and its messages contain no secret. */
export const SIGN_IN = z.strictObject({
  scriptURL: z.string().optional().meta({
    description: 'The address of the back end, if no airline is configured; web pages may not send it.',
  }),
  username: z.string().min(1).max(CREDENTIAL_LENGTH_MAX).meta({description: 'Pilot number or e-mail address.'}),
  password: z
    .string()
    .min(1)
    .max(CREDENTIAL_LENGTH_MAX)
    .meta({description: 'Sent to the back end once, and not stored.', format: 'password', writeOnly: true}),
});

/** Answer of /api/session. */
export const SESSION = z.strictObject({
  state: SESSION_STATE,
  source: SOURCE,
  since: z.iso.datetime().meta({description: 'Time of the last change of the state, UTC.'}),
  summary: SUMMARY,
  expiresAt: z.iso.datetime().optional().meta({description: 'End of the session, if known, UTC.'}),
  stale: STALE,
  verifiedAt: z.iso.datetime().optional().meta({
    description:
      'When the back end confirmed the session last, UTC; absent if it has not since the sign-in or the start.',
  }),
  unverifiable: z.literal(true).optional().meta({
    description: 'The back end does not offer to verify sessions: the session is kept to its end.',
  }),
  scriptURL: z.string().optional().meta({description: 'The address of the back end.'}),
  kept: z.enum(['keychain', 'file', 'memory']).optional().meta({description: 'Where the session is stored.'}),
  problem: z.looseObject({code: z.string(), detail: z.string(), advice: z.string()}).optional().meta({
    description: 'Why the session is stale, expired, or could not be restored; a code may have further members.',
  }),
});

/** Answer of /api/pilots. */
export const PILOTS = z.strictObject({
  pilots: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string().meta({description: 'The purpose of this sample.'}),
      summary: SUMMARY,
    }),
  ),
  current: z
    .string()
    .optional()
    .meta({description: 'Name of the sample that is served; absent if the identity has another source.'}),
});

/** Body of PUT /api/pilots/current, for the documentation: `readPilotChoice` parses it. */
export const PILOT_CHOICE = z.strictObject({name: z.enum(SAMPLE_PILOT_NAMES)});

/** Answer of GET /readyz. */
export const READINESS = z.strictObject({
  ready: z.boolean(),
  store: z.enum(['read-write', 'read-only']),
  identity: z.strictObject({
    source: SOURCE,
    signedIn: z.boolean(),
    state: SESSION_STATE,
    pilot: z.string().optional().meta({description: 'Name of the sample pilot, if the identity is a sample.'}),
    filled: z.array(z.string()).optional().meta({
      description: 'Members of the profile that come from the sample, as JSONPaths; absent for a whole profile.',
    }),
    stale: STALE,
    summary: SUMMARY,
  }),
  faults: z.array(z.string()).optional().meta({
    description: 'Faults that are switched on, as "crewroom fault" has them; absent without any.',
  }),
});
