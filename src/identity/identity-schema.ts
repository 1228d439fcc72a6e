import {z} from 'zod';
import type {IdentityDocument} from '../domain/identity.ts';

/** Not `z.int()`: an id may have 64 bits; the served text keeps all its digits. */
const integer = z.number().refine(Number.isInteger, {error: 'has to be a whole number'}).meta({type: 'integer'});

/**
 * The account on the platform. This schema and the following accept unknown members, and only validate: the bytes that were
 * read are what is served.
 */
const ACCOUNT = z.looseObject({
  id: integer,
  hasPremium: z.boolean(),
  token: z.string(),
  firstName: z.string(),
  lastNameInitial: z.string(),
  authority: integer,
  developer: z.boolean(),
  tester: z.boolean(),
  showHost: z.boolean(),
  expiry: z.number().optional().meta({description: 'End of the session, in seconds since the Unix epoch.'}),
});

/** The account of a pilot at the airline, as a back end sends it. */
export const PILOT_SCHEMA = z.looseObject({
  dbID: integer,
  pilotID: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  rank: z.string(),
  rankImage: z.string().nullable(),
  rankLevel: integer,
  avatar: z.string().nullable(),
  session: z.string(),
  expiry: z.number().optional().meta({description: 'End of the session, in seconds since the Unix epoch.'}),
});

const AIRLINE_SETTINGS = z.looseObject({
  airlineName: z.string(),
  airlineICAO: z.string(),
  accentBackgroundColor: z.string(),
  accentForegroundColor: z.string(),
  welcomeMessage: z.string().nullable(),
  maintenanceMode: z.boolean(),
  maintenanceModeMessage: z.string().nullable(),
  logo: z.string().nullable(),
  logoDark: z.string().nullable(),
  icon: z.string().nullable(),
  // Plugins append paths to it.
  scriptURL: z.string().regex(/\/$/, {error: 'does not end in "/"'}),
  vaURL: z.string(),
  ico: z.string().nullable(),
});

/** PHP writes an object without members as an empty array. */
const PLUGIN_SETTINGS = z.union([z.record(z.string(), z.unknown()), z.array(z.never()).max(0)], {
  error: 'has to be an object',
});

const PLUGIN = z.looseObject({
  id: z.string(),
  name: z.string(),
  verified: z.boolean(),
  downloads: integer,
  rating: z.number(),
  totalReviews: integer,
  author: z.string(),
  description: z.string(),
  lastUpdated: z.string(),
  version: z.string(),
  type: z.string(),
  availableSettings: PLUGIN_SETTINGS,
  appliedSettings: PLUGIN_SETTINGS,
});

/** The airline, as an airline profile holds it. */
export const AIRLINE_SCHEMA = z.looseObject({
  id: integer,
  isPartner: z.boolean(),
  settings: AIRLINE_SETTINGS,
  plugins: z.array(PLUGIN),
});

/** The identity document: the answer to `GET /api/identity`. */
export const IDENTITY_SCHEMA = z
  .looseObject({
    vendor_design_user: ACCOUNT.optional().meta({
      description:
        'The account on the platform. A source may carry another brand in place of "vendor"; it is served as it is. Absent without such an account.',
    }),
    va_user: PILOT_SCHEMA.meta({description: 'The account at the airline.'}),
    airline: AIRLINE_SCHEMA,
  })
  .meta({
    description: 'The identity of the pilot. Unknown members are kept unchanged.',
  }) satisfies z.ZodType<IdentityDocument>;

/** Returns the schema as JSON Schema (draft 2020-12), for the documentation. */
export function describeIdentity(): Readonly<Record<string, unknown>> {
  const {$schema, ...members} = z.toJSONSchema(IDENTITY_SCHEMA);
  return members;
}
