import type {Operation} from '../../src/core/domain/commits/commit.ts';
import {patch, put} from '../contracts/shared/assertions.ts';
import type {Step} from './store-steps.ts';

/** Histories that a random run found, each by the sentence that was false. A run that fails prints its shortest history: add it here. */
export const FOUND_HISTORIES: Readonly<Record<string, readonly Step[]>> = {
  'names no next expiry once the only entry that expires was written twice more': [
    commit({...put('a', '{}'), expiry: {kind: 'after', ttlSeconds: 1}}),
    {kind: 'changes', after: 0, limit: 1},
    commit(put('a', '0')),
    commit(patch('a', '{}')),
    {kind: 'sweep'},
  ],
};

/** Commits alone, so that the next step finds it in a group of its own. */
function commit(operation: Operation): Step {
  return {kind: 'commits', commits: [{checks: [], operations: [operation]}]};
}
