import {findCacheProblem} from '../system/compile-cache.ts';
import type {Finding} from './finding.ts';

/** Checks that the compiled code of this program is kept: it is not if another user could change the code. */
export function checkCache(cacheDir: string, userId: number | undefined): Finding {
  const check = 'Cache';
  if (cacheDir === '') return {check, level: 'ok', detail: 'none, because this user has no home directory'};
  const problem = findCacheProblem(cacheDir, userId);
  if (problem === undefined) return {check, level: 'ok', detail: cacheDir};
  const fix = `Delete ${cacheDir}, and let no other user write to the directories above it; until then each start is slower`;
  return {check, level: 'warning', detail: `compiled code is not kept: ${problem}`, fix};
}
