import {rmSync} from 'node:fs';
import {mkdir, mkdtemp, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {openGenerator} from './generator/generator.ts';
import {type Options, readOptions, USAGE} from './options.ts';
import {FULL_PLAN, QUICK_PLAN} from './plan.ts';
import {findBusy, readPressure} from './pressure.ts';
import {killServers} from './process.ts';
import {drawRatios} from './report/ratio-picture.ts';
import {formatReport} from './report/report.ts';
import {runBench} from './run.ts';
import {compareTargets} from './targets.ts';

const RESULTS_DIRECTORY = fileURLToPath(new URL('./results/', import.meta.url));

async function main(): Promise<void> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  await mkdir(options.directory, {recursive: true});
  const directory = await mkdtemp(join(options.directory, 'crewroom-bench-'));
  // Also if the run is ended from outside: the directory may have gigabytes.
  process.once('exit', () => rmSync(directory, {recursive: true, force: true}));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

  const busy = findBusy(readPressure());
  const startMs = performance.now();
  const measured = await runBench({
    options,
    plan: options.quick ? QUICK_PLAN : FULL_PLAN,
    directory,
    generator: await openGenerator(join(directory, 'generator')),
    onProgress: text => process.stderr.write(`${Math.round((performance.now() - startMs) / 1000)} s: ${text}\n`),
  }).finally(killServers);
  const results = {...measured, busy};
  const verdicts = compareTargets(results);
  const report = formatReport(results, verdicts);
  const json = `${JSON.stringify({...results, targets: verdicts}, undefined, 2)}\n`;
  process.stdout.write(options.json ? json : report);
  await writeResults(results.startedAt, {md: report, json, svg: drawRatios(report)});
  if (busy !== undefined) process.stderr.write(`no target was judged: ${busy}\n`);
  if (options.check && verdicts.some(({verdict}) => verdict === 'missed' || verdict === 'not judged'))
    process.exitCode = 1;
}

async function writeResults(startedAt: string, texts: Readonly<Record<string, string | undefined>>): Promise<void> {
  await mkdir(RESULTS_DIRECTORY, {recursive: true});
  const name = startedAt.slice(0, 19).replaceAll(':', '-');
  for (const [extension, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const file = join(RESULTS_DIRECTORY, `${name}.${extension}`);
    await writeFile(file, text);
    process.stderr.write(`written: ${file}\n`);
  }
}

/** Formats an error with its causes, without stack traces: they do not help if a server refused. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 1;
}
