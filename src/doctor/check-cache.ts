import {findCacheProblem} from '../system/cache-directory.ts';
import {type Finding, NamedCheck} from './finding.ts';

/** Checks that the compiled code of this program is kept: it is not if another user could change the code. */
export function checkCache(cacheDir: string, userId: number | undefined): Finding {
  const check = new NamedCheck('Cache');
  if (cacheDir === '') return check.ok('none, because this user has no home directory');
  const problem = findCacheProblem(cacheDir, userId);
  if (problem === undefined) return check.ok(cacheDir);
  const fix = `Delete ${cacheDir}, and let no other user write to the directories above it; until then each start is slower`;
  return check.warning(`compiled code is not kept: ${problem}`, fix);
}
