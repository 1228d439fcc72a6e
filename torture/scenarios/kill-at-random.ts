import {runKillRounds} from '../kill-rounds.ts';
import type {Scenario} from '../scenario.ts';

/** C1: the service dies at any moment, and again. */
export const KILL_AT_RANDOM: Scenario = {
  id: 'C1',
  name: 'Killed at random moments under eight writers, it loses nothing that it acknowledged, and tears nothing',
  rounds: {quick: 8, standard: 100},
  run: context => runKillRounds(context),
};
