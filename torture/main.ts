import {abortOnSignal} from '../test/support/interruption.ts';
import {formatUsage, readOptions, type TortureOptions, UsageError} from './options.ts';
import {createProgress, formatOutcome, formatSummary} from './progress.ts';
import {runScenario} from './run-scenario.ts';
import type {Outcome} from './scenario.ts';
import {SCENARIOS} from './scenarios.ts';

const EXIT = {passed: 0, failed: 1, usage: 2, interrupted: 130} as const;

/**
 * Runs the scenarios of the command line. With `--json` the results go to standard output, and all else to standard
 * error.
 */
async function main(): Promise<number> {
  let options: TortureOptions | undefined;
  try {
    options = readOptions(process.argv.slice(2), SCENARIOS);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${formatUsage(SCENARIOS)}`);
    return EXIT.usage;
  }
  if (options === undefined) {
    process.stdout.write(formatUsage(SCENARIOS));
    return EXIT.passed;
  }
  return torture(options);
}

async function torture(options: TortureOptions): Promise<number> {
  const {scenarios, seed, json} = options;
  const screen = json ? process.stderr : process.stdout;
  const interrupted = abortOnSignal();
  screen.write(`seed ${seed}\n`);
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    screen.write(`${scenario.id} ${scenario.name}\n`);
    const progress = createProgress(screen, () => performance.now());
    const outcome = await runScenario(scenario, {...options, report: progress.show, signal: interrupted});
    progress.clear();
    outcomes.push(outcome);
    screen.write(formatOutcome(outcome));
    if (interrupted.aborted) break;
  }
  screen.write(formatSummary(outcomes));
  if (json) process.stdout.write(`${JSON.stringify({seed, outcomes}, undefined, 2)}\n`);
  if (outcomes.some(({result}) => result === 'failed')) return EXIT.failed;
  return interrupted.aborted ? EXIT.interrupted : EXIT.passed;
}

process.exitCode = await main();
