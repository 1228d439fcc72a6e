import type {Scenario} from './scenario.ts';
import {KILL_AT_RANDOM} from './scenarios/kill-at-random.ts';
import {RACE_FOR_REVISIONS} from './scenarios/race-for-revisions.ts';

/** All scenarios, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [KILL_AT_RANDOM, RACE_FOR_REVISIONS];
