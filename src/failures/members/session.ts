import {type MemberCheck, number, optional, text} from './checks.ts';
import {type MembersByCode, problems} from './members.ts';

/** The step in which a request to a back end failed: looking up its name, connecting, the TLS handshake, or the answer. */
export type BackEndStage = 'name' | 'connection' | 'tls' | 'answer';

// A newer service may know more steps.
const stage = text as MemberCheck<BackEndStage>;

/** The answer of a back end, in its own words, if it has some. */
const message = optional(text);

/** Advice for this case, in place of the advice for the code. */
const hint = optional(text);

/** Time to wait before the next request, in seconds; one day at most. */
const retryAfterSeconds = optional(number);

/** Members of the failures of sign-ins, sessions and sample pilots. Texts from the back end of an airline are cleaned and shortened, and
 * contain neither password nor session; addresses have no query. */
export const SESSION_MEMBERS = {
  'invalid-sign-in': {problems},
  'sign-in-unavailable': {problem: text},
  'sign-in-busy': {},
  /** The request to switch the sample pilot is wrong. */
  'invalid-pilot-choice': {problems},
  'pilot-choice-unavailable': {problem: text},
  'wrong-credentials': {url: text, message, hint},
  'pilot-not-confirmed': {url: text, message},
  'account-broken': {
    url: text,
    backEndStatus: number,
    /** The behaviour of the back end, if it is known. */
    problem: optional(text),
    message,
    hint,
  },
  'session-unknown': {url: text, message},
  /** The address is plain `http` on another machine, and the settings do not allow that. Nothing secret was sent. */
  'unprotected-back-end': {url: text},
  'back-end-unreachable': {url: text, stage, problem: text, hint},
  'back-end-timeout': {url: text, timeoutMs: number},
  'back-end-redirect': {
    url: text,
    target: text,
    problem: text,
    /** The `scriptURL` to configure instead, if it is known. */
    scriptURL: optional(text),
    hint,
  },
  'not-a-back-end': {
    url: text,
    backEndStatus: number,
    problem: text,
    /** The first line of the response. */
    firstLine: optional(text),
    hint,
  },
  'back-end-failed': {
    url: text,
    /** The HTTP status of the back end; `status` is that of the problem document. */
    backEndStatus: number,
    /** The problem of the back end, if it was recognised. */
    problem: optional(text),
    message,
    hint,
    retryAfterSeconds,
  },
  /** The back end, or a proxy in front of it, limits requests (429). */
  'back-end-busy': {url: text, backEndStatus: number, problem: text, message, hint, retryAfterSeconds},
  'invalid-pilot': {url: text, problems},
  /** The keychain of the system is locked or does not answer. Appears only as the problem in the status of the session. */
  'keychain-unavailable': {problem: text},
} as const satisfies MembersByCode;
