import {join} from 'node:path';
import {GoneError, HistoryRecorder, type RecordedService} from '../linearizability/recorder.ts';
import {assertLinearizable, countExchanges, RACE_PREFIX, takeStep} from '../race-steps.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {startService} from '../service-process.ts';

/** Large groups queue at the service, so that many commits happen between a request and its answer. */
const MANY_WRITERS = 50;

/** Small groups are answered at once on any machine: a read that is stale by some milliseconds shows only then. */
const FEW_WRITERS = 2;

/** Configuration of a race. */
interface Race {
  readonly name: string;
  readonly writers: number;
  /** Number of keys that the writers race for. With one there are no transactions. */
  readonly keys: number;
  /** Number of kills and restarts during the race. */
  readonly kills: number;
  readonly args: readonly string[];
}

const RACES: readonly Race[] = [
  {name: 'one key', writers: MANY_WRITERS, keys: 1, kills: 0, args: []},
  {name: 'one key, few writers', writers: FEW_WRITERS, keys: 1, kills: 0, args: []},
  {name: 'six keys', writers: MANY_WRITERS, keys: 6, kills: 0, args: []},
  {name: 'three keys and kills', writers: MANY_WRITERS, keys: 3, kills: 4, args: []},
  {name: 'six keys in memory', writers: MANY_WRITERS, keys: 6, kills: 0, args: ['--ephemeral']},
];

/** Number of steps of a race, all its writers together, until the service is stopped or killed. */
const STEPS = {quick: 300, standard: 1200};

/** C8: writers that compete for the same entries, each on top of its last read. */
export const RACE_FOR_REVISIONS: Scenario = {
  id: 'C8',
  name: 'Fifty writers compare and set the same entries: one wins each revision, and one order explains all answers',
  rounds: {quick: 1, standard: 10},
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      for (const race of RACES) {
        context.report(`round ${round} of ${context.rounds}, ${race.name}`);
        await runRace(race, round, context);
      }
      context.count('rounds');
    }
  },
};

async function runRace(
  race: Race,
  round: number,
  {random, quick, directory, count, signal}: ScenarioContext,
): Promise<void> {
  const stepsMax = quick ? STEPS.quick : STEPS.standard;
  const name = `${race.name.replaceAll(' ', '-')}-${round}`;
  const dataDir = join(directory, name);
  const recorder = new HistoryRecorder();
  for (let start = 0; start <= race.kills; start++) {
    const service = await startService({dataDir, args: race.args, signal});
    const isLast = start === race.kills;
    // The last time all writers end by themselves.
    const steps = isLast ? stepsMax : random.integer(race.writers, stepsMax);
    const end = isLast ? undefined : () => void service.kill();
    await letWritersRace(recorder.watch(service.url), {race, random, steps, end});
    await (isLast ? service.stop() : service.exited);
    recorder.cutOff();
  }
  await assertLinearizable(recorder.history, join(directory, `${name}.history.json`));
  countExchanges(recorder.history, count);
}

interface RaceOptions {
  readonly race: Race;
  readonly random: Random;
  readonly steps: number;
  /** Called after this number of steps. */
  readonly end: (() => void) | undefined;
}

async function letWritersRace(service: RecordedService, {race, random, steps, end}: RaceOptions): Promise<void> {
  const keys = Array.from({length: race.keys}, (_, index) => `${RACE_PREFIX}${index}`);
  let rest = steps;
  const write = async (writer: number): Promise<void> => {
    const chance = random.fork(`writer ${writer} of ${random.integer(0, 1e6)}`);
    try {
      for (let step = 0; rest > 0; step++) {
        await takeStep(service, {keys, chance, value: `"${writer}.${step}"`});
        if (--rest === 0) end?.();
      }
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    }
  };
  await Promise.all(Array.from({length: race.writers}, (_, writer) => write(writer)));
  await service.readAll(RACE_PREFIX, keys).catch(error => {
    if (!(error instanceof GoneError)) throw error;
  });
}
