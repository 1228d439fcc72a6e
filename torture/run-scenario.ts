import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {TortureOptions} from './options.ts';
import {createRandom} from './random.ts';
import type {Outcome, Scenario} from './scenario.ts';

/** Options of one scenario. */
export interface RunOptions extends Omit<TortureOptions, 'scenarios' | 'json'> {
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Runs one scenario to its result, and cleans up after it unless files are kept for analysis. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const {id, name} = scenario;
  const {seed, quick} = options;
  const rounds = options.rounds ?? (quick ? scenario.rounds.quick : scenario.rounds.standard);
  const counts: Record<string, number> = {};
  const begunMs = performance.now();
  const outcome = (more: Pick<Outcome, 'result' | 'reason' | 'directory' | 'replay'>): Outcome => {
    return {id, name, seed, rounds, seconds: (performance.now() - begunMs) / 1000, counts, ...more};
  };
  const missing = await scenario.findMissing?.();
  if (missing !== undefined) return outcome({result: 'skipped', reason: `it needs ${missing}`});

  const directory = await mkdtemp(join(tmpdir(), `crewroom-torture-${id}-`));
  const over = new AbortController();
  try {
    await scenario.run({
      random: createRandom(seed).fork(id),
      rounds,
      quick,
      directory,
      report: options.report,
      count: (what, amount = 1) => {
        counts[what] = (counts[what] ?? 0) + amount;
      },
      signal: AbortSignal.any([options.signal, over.signal]),
    });
    if (options.keep) return outcome({result: 'passed', directory});
    await rm(directory, {recursive: true, force: true});
    return outcome({result: 'passed'});
  } catch (error) {
    if (options.signal.aborted) {
      // A process killed a moment ago may still be writing there.
      await rm(directory, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
      return outcome({result: 'interrupted'});
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    await writeFile(join(directory, 'failure.txt'), `${reason}\n`);
    const replay = `npm run torture -- --only ${id} --seed ${seed} --rounds ${rounds}${quick ? ' --quick' : ''}`;
    return outcome({result: 'failed', reason, directory, replay});
  } finally {
    over.abort();
  }
}
