import {ACCESS_MEMBERS} from './members/access.ts';
import type {CLIENT_MEMBERS} from './members/client.ts';
import {DATA_MEMBERS, type DataFailure} from './members/data.ts';
import {type FailureIn, isFailureIn} from './members/members.ts';
import {PLUGIN_MEMBERS} from './members/plugin.ts';
import {REQUEST_MEMBERS} from './members/request.ts';
import {SESSION_MEMBERS} from './members/session.ts';
import type {START_MEMBERS} from './members/start.ts';

/**
 * Every expected failure, as data. HTTP responses carry it as the members of a problem document, and the client
 * throws the same failure again. `members/` has the members of each code, and `rows/` everything else about it.
 */
export type Failure = SentFailure | StartFailure | ClientFailure;

/** The name of a kind of failure. Codes are stable: a released one is never renamed or reused. */
export type FailureCode = Failure['code'];

/** A failure that the service sends over HTTP, as an answer or as the problem of a session. */
export type SentFailure = DataFailure | RequestFailure | SessionFailure | AccessFailure | PluginFailure;

/** A failure of a request that is no {@link DataFailure}. */
export type RequestFailure = FailureIn<typeof REQUEST_MEMBERS>;

/** A failure of a sign-in, a session, or the choice of a sample pilot. */
export type SessionFailure = FailureIn<typeof SESSION_MEMBERS>;

/** A failure of tokens, permissions or the owner. */
export type AccessFailure = FailureIn<typeof ACCESS_MEMBERS>;

/** A failure of a plugin, or of what tests plugins. */
export type PluginFailure = FailureIn<typeof PLUGIN_MEMBERS>;

/** A failure of a start or a command. */
export type StartFailure = FailureIn<typeof START_MEMBERS>;

/** A failure of a client. */
export type ClientFailure = FailureIn<typeof CLIENT_MEMBERS>;

const SENT_MEMBERS = {
  ...DATA_MEMBERS,
  ...REQUEST_MEMBERS,
  ...SESSION_MEMBERS,
  ...ACCESS_MEMBERS,
  ...PLUGIN_MEMBERS,
};

/** Returns whether a document is a failure that this version knows, with all its members. */
export function isSentFailure(document: Readonly<Record<string, unknown>>): document is SentFailure & typeof document {
  return isFailureIn(SENT_MEMBERS, document);
}
