import {abortOnSignal} from '../test/support/interruption.ts';
import {BACK_END_SECRETS, startBackEnd} from './back-end.ts';
import {type ApiDocument, type OpenApi, readDocument} from './document.ts';
import {FAULT_OPERATIONS, FAULTS} from './faults.ts';
import {type Failure, type FuzzProgress, type FuzzReport, fuzz} from './fuzz.ts';
import {type FuzzOptions, readOptions, USAGE, UsageError} from './options.ts';
import {formatFailure, formatProgress, formatReport} from './report.ts';
import {startService} from './service.ts';

const EXIT = {passed: 0, failed: 1, usage: 2, interrupted: 130} as const;

/** Interval of progress messages, in milliseconds: on a terminal, and in a log. */
const PROGRESS_MS = 5000;
const PROGRESS_LOG_MS = 60_000;

/** Runs the command line. With `--json` the report goes to standard output; progress goes to standard error. */
async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options !== undefined) return await run(options);
    process.stdout.write(USAGE);
    return EXIT.passed;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return EXIT.usage;
  }
}

async function run(options: FuzzOptions): Promise<number> {
  const interrupted = abortOnSignal();
  await using backEnd = await startBackEnd();
  await using service = await startService({
    airlineJson: backEnd.airlineJson,
    secrets: BACK_END_SECRETS,
    faults: options.faults ? FAULTS : [],
  });
  const document = withoutFaultOperations(await fetchDocument(service.port), options);
  process.stderr.write(`seed ${options.seeds.join(' and ')}\n`);
  const report = await fuzz(options, {
    service,
    document,
    onProgress: createProgress(),
    onFailure: (failure: Failure) => process.stderr.write(formatFailure(failure)),
    signal: interrupted,
  });
  process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report));
  if (interrupted.aborted) return EXIT.interrupted;
  const untested = untestedOperations(report, options);
  for (const name of untested) process.stderr.write(`FAILED ${name}: it never succeeded, so it is not tested\n`);
  return report.failures.length === 0 && untested.length === 0 ? EXIT.passed : EXIT.failed;
}

/** If all operations were used, each must have succeeded. */
function untestedOperations({unreached}: FuzzReport, {durationMs, only}: FuzzOptions): readonly string[] {
  return durationMs === undefined || only.length > 0 ? [] : unreached.operations;
}

async function fetchDocument(port: number): Promise<ApiDocument> {
  const response = await fetch(`http://localhost:${port}/openapi.json`);
  if (!response.ok) throw new Error(`/openapi.json was answered with ${response.status}`);
  return readDocument((await response.json()) as OpenApi);
}

/** Leaves out the operations that would end the faults of the run. */
function withoutFaultOperations(document: ApiDocument, {faults}: FuzzOptions): ApiDocument {
  if (!faults) return document;
  return {...document, operations: document.operations.filter(({name}) => !FAULT_OPERATIONS.includes(name))};
}

function createProgress(): (progress: FuzzProgress) => void {
  const intervalMs = process.stderr.isTTY ? PROGRESS_MS : PROGRESS_LOG_MS;
  let toldMs = performance.now();
  return progress => {
    if (performance.now() - toldMs < intervalMs) return;
    toldMs = performance.now();
    process.stderr.write(formatProgress(progress));
  };
}

process.exitCode = await main();
