import {withoutPageSecrets} from '../../domain/plugins/page-proofs.ts';

/** Longest path that is shown, in characters. */
const LENGTH_MAX = 200;

/**
 * Returns the path of a request target, for logs and lists. Queries may contain secrets, as may a fragment and the host name of an absolute target,
 * which only programs without a library send.
 */
export function shownPath(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return withoutPageSecrets(path.replace(/^https?:\/\/[^/]*/i, '')).slice(0, LENGTH_MAX);
}
