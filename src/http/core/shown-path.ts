import {withoutSecrets} from '../../core/domain/redaction.ts';
import {withoutAuthority} from '../../core/protocol/headers/request-target.ts';

/** Longest path that is shown, in characters. */
const LENGTH_MAX = 200;

/** Returns the path of a request target, for logs, lists and failures. The rest may contain secrets: query, fragment, and the host of an absolute target. */
export function shownPath(target: string): string {
  const [path = ''] = withoutAuthority(target).split(/[?#]/, 1);
  return withoutSecrets(path).slice(0, LENGTH_MAX);
}
