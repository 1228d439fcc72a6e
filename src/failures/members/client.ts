import {number, optional, text} from './checks.ts';
import {type MembersByCode, problems} from './members.ts';

/** Members of the failures of a client that has no answer of the service, or does not understand it. None crosses HTTP. */
export const CLIENT_MEMBERS = {
  'service-unreachable': {url: text, problem: text},
  'service-timeout': {url: text, timeoutMs: number},
  'invalid-value': {key: text, problems},
  'unexpected-answer': {url: text, status: number, problem: text},
  /** A failure of the service that this version does not know, or that lacks members that this version expects. */
  'unknown-failure': {
    /** The code in the response. */
    sentCode: text,
    /** The HTTP status of the response. */
    status: number,
    /** The message in the response. */
    detail: text,
    /** The advice in the response. */
    advice: optional(text),
  },
} as const satisfies MembersByCode;
