import * as v from 'valibot';
import type {IdentityDocument} from '../domain/identity/identity.ts';
import {ANY_OBJECT, described, open} from './kinds.ts';

const text = v.string();
const flag = v.boolean();
const nullableText = v.nullable(text);
const number = v.pipe(v.number(), v.finite());

/** An id may have 64 bits; the served text keeps all its digits. */
const integer = v.pipe(number, v.integer('has to be a whole number'));

/** Frameworks send `null` for what they do not have. */
const expiry = v.optional(v.nullable(described(number, 'End of the session, in seconds since the Unix epoch.')));

/**
 * The account on the platform. This schema and the following accept unknown members, and only validate: the bytes that were
 * read are what is served.
 */
const ACCOUNT = open({
  id: integer,
  hasPremium: flag,
  token: text,
  firstName: text,
  lastNameInitial: text,
  authority: integer,
  developer: flag,
  tester: flag,
  showHost: flag,
  expiry,
});

/** The account of a pilot at the airline, as a back end sends it. */
export const PILOT_ACCOUNT = open({
  dbID: integer,
  pilotID: text,
  firstName: text,
  lastName: text,
  email: text,
  rank: text,
  rankImage: nullableText,
  rankLevel: integer,
  avatar: nullableText,
  session: text,
  expiry,
});

const AIRLINE_SETTINGS = open({
  airlineName: text,
  airlineICAO: text,
  accentBackgroundColor: text,
  accentForegroundColor: text,
  welcomeMessage: nullableText,
  maintenanceMode: flag,
  maintenanceModeMessage: nullableText,
  logo: nullableText,
  logoDark: nullableText,
  icon: nullableText,
  // Plugins append paths to it.
  scriptURL: v.pipe(text, v.regex(/\/$/, 'does not end in "/"')),
  vaURL: text,
  ico: nullableText,
});

/** PHP writes an object without members as an empty array. */
const PLUGIN_SETTINGS = v.union([ANY_OBJECT, v.pipe(v.array(v.never()), v.maxLength(0))], 'has to be an object');

const PLUGIN = open({
  id: text,
  name: text,
  verified: flag,
  downloads: integer,
  rating: number,
  totalReviews: integer,
  author: text,
  description: text,
  lastUpdated: text,
  version: text,
  type: text,
  availableSettings: PLUGIN_SETTINGS,
  appliedSettings: PLUGIN_SETTINGS,
});

/** The airline, as an airline profile holds it. */
export const AIRLINE = open({
  id: integer,
  isPartner: flag,
  settings: AIRLINE_SETTINGS,
  plugins: v.array(PLUGIN),
});

/** The identity document: the answer to `GET /api/identity`, and a profile. */
export const IDENTITY_DOCUMENT = open({
  vendor_design_user: v.optional(
    described(
      ACCOUNT,
      'The account on the platform. A source may carry another brand in place of "vendor"; it is served as it is. Absent without such an account.',
    ),
  ),
  va_user: described(PILOT_ACCOUNT, 'The account at the airline.'),
  airline: AIRLINE,
}) satisfies v.GenericSchema<unknown, IdentityDocument>;
