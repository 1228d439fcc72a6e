import type {DocumentProblem} from './problems.ts';

/** Members of failures of a client that has no answer of the service, or does not understand it. None crosses HTTP. */
export interface ClientMembers {
  'service-unreachable': {url: string; problem: string};
  'service-timeout': {url: string; timeoutMs: number};
  'invalid-value': {key: string; problems: readonly DocumentProblem[]};
  'unexpected-answer': {url: string; status: number; problem: string};
}
