import type {Scenario} from './scenario.ts';
import {KILL_AT_RANDOM} from './scenarios/kill-at-random.ts';

/** All scenarios, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [KILL_AT_RANDOM];
