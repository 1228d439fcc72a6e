import type {RecordedRequest} from 'crewroom/client/service';
import {keyOf} from './repeat-request.ts';

/** Statuses that the filter distinguishes. */
export const STATUS_NAMES = {
  all: 'All',
  '2': 'Successful (2xx)',
  '3': 'Not modified (3xx)',
  '4': 'Refused (4xx)',
  '5': 'Failed (5xx)',
} as const;

/** Choice of requests. */
export interface RequestFilter {
  /** Part of the path, in any case. */
  readonly path: string;
  /** Key that the path names in any encoding; empty for all. */
  readonly key: string;
  readonly status: keyof typeof STATUS_NAMES;
  /** Sender of {@link senderOf}; `all` for all. */
  readonly sender: string;
  /** False without those that the service marks as its own. */
  readonly withOwn: boolean;
}

/** Choice of all requests, apart from those that the service marks as its own. */
export const ALL: Omit<RequestFilter, 'withOwn'> = {path: '', key: '', status: 'all', sender: 'all'};

/** Returns the sender that a plugin is, as {@link senderOf} names it. */
export function pluginSender(id: string): string {
  return `plugin ${id}`;
}

/** Returns who sent a request: `plugin ID`, `origin ORIGIN`, or `program` for a local program. */
export function senderOf({plugin, origin}: RecordedRequest): string {
  if (plugin !== undefined) return pluginSender(plugin);
  return origin === undefined ? 'program' : `origin ${origin}`;
}

/** Returns a function that tests requests. */
export function filterBy({path, key, status, sender, withOwn}: RequestFilter): (request: RecordedRequest) => boolean {
  const part = path.toLowerCase();
  return request =>
    request.path.toLowerCase().includes(part) &&
    (key === '' || keyOf(request) === key) &&
    (status === 'all' || String(request.status).startsWith(status)) &&
    (sender === 'all' || senderOf(request) === sender) &&
    (withOwn || !request.own);
}
