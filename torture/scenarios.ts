import type {Scenario} from './scenario.ts';
import {CHANGE_AROUND} from './scenarios/change-around.ts';
import {CLOSE_WHILE_OPENING} from './scenarios/close-while-opening.ts';
import {COMPACT_ENGINE} from './scenarios/compact-engine.ts';
import {CUT_NETWORK} from './scenarios/cut-network.ts';
import {DAMAGE_FILES} from './scenarios/damage-files.ts';
import {EXHAUST_DESCRIPTORS} from './scenarios/exhaust-descriptors.ts';
import {FAIL_DISK_CALLS} from './scenarios/fail-disk-calls.ts';
import {FILL_DISK} from './scenarios/fill-disk.ts';
import {FILL_ENGINE} from './scenarios/fill-engine.ts';
import {FOLLOW_THROUGH_KILLS} from './scenarios/follow-through-kills.ts';
import {HOLD_PLACES} from './scenarios/hold-places.ts';
import {KILL_AT_EACH_CALL} from './scenarios/kill-at-each-call.ts';
import {KILL_AT_RANDOM} from './scenarios/kill-at-random.ts';
import {KILL_IN_FLIGHT} from './scenarios/kill-in-flight.ts';
import {KILL_LEADERS} from './scenarios/kill-leaders.ts';
import {KILL_PLUGIN_COMMANDS} from './scenarios/kill-plugin-commands.ts';
import {LOSE_POWER} from './scenarios/lose-power.ts';
import {RACE_FOR_REVISIONS} from './scenarios/race-for-revisions.ts';
import {REFUSE_OPENING} from './scenarios/refuse-opening.ts';
import {REFUSE_RECORD} from './scenarios/refuse-record.ts';
import {RESTART_ENGINE} from './scenarios/restart-engine.ts';
import {SET_CLOCK_RIGHT} from './scenarios/set-clock-right.ts';
import {SHARE_DIRECTORY} from './scenarios/share-directory.ts';
import {SHARE_ENGINE} from './scenarios/share-engine.ts';
import {SHIFT_CLOCKS} from './scenarios/shift-clocks.ts';
import {SLOW_ENGINE} from './scenarios/slow-engine.ts';
import {SOAK} from './scenarios/soak.ts';
import {STOP_UNDER_LOAD} from './scenarios/stop-under-load.ts';

/** All scenarios, in the order in which they run. */
// biome-ignore format: one a line, as in a table
export const SCENARIOS: readonly Scenario[] = [
  KILL_AT_RANDOM,
  KILL_AT_EACH_CALL,
  LOSE_POWER,
  FAIL_DISK_CALLS,
  FILL_DISK,
  DAMAGE_FILES,
  SHARE_DIRECTORY,
  RACE_FOR_REVISIONS,
  FOLLOW_THROUGH_KILLS,
  STOP_UNDER_LOAD,
  CHANGE_AROUND,
  REFUSE_RECORD,
  REFUSE_OPENING,
  SET_CLOCK_RIGHT,
  EXHAUST_DESCRIPTORS,
  CLOSE_WHILE_OPENING,
  KILL_IN_FLIGHT,
  HOLD_PLACES,
  KILL_PLUGIN_COMMANDS,
  SHARE_ENGINE,
  KILL_LEADERS,
  COMPACT_ENGINE,
  FILL_ENGINE,
  SLOW_ENGINE,
  SHIFT_CLOCKS,
  RESTART_ENGINE,
  CUT_NETWORK,
  SOAK,
];
