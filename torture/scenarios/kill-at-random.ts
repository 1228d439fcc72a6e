import {runKillRounds} from '../kill-rounds.ts';
import type {Scenario} from '../scenario.ts';

/** C1: kills at random moments, again and again. */
export const KILL_AT_RANDOM: Scenario = {
  id: 'C1',
  name: 'Killed at random moments under eight writers, it loses no acknowledged write, and tears none',
  rounds: {quick: 8, standard: 100},
  run: context => runKillRounds(context),
};
