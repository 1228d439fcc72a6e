import {setTimeout as pause} from 'node:timers/promises';
import {inspectConfig} from '../../config.ts';
import {platformPaths} from '../../paths.ts';
import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import type {CliContext} from '../context.ts';
import {checkCache} from '../doctor/check-cache.ts';
import type {EntriesPlace} from '../doctor/check-entries.ts';
import {checkLocalhost, checkNode} from '../doctor/check-machine.ts';
import {checkSettings} from '../doctor/check-settings.ts';
import type {Finding, Steps} from '../doctor/finding.ts';
import {createFindingFormatter} from '../doctor/format-findings.ts';
import {jsonLine} from '../escape.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {showProgress} from '../progress.ts';
import {InterruptedError} from '../report.ts';
import {readSources} from '../settings.ts';
import {listenForStop} from '../stop-request.ts';
import {styleOf} from '../style.ts';
import {invalidUsage} from '../usage.ts';

/** The flags of `crewroom doctor`. */
export interface DoctorFlags {
  readonly json: Switch;
  readonly deep: Switch;
  readonly scriptUrl: string | undefined;
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
}

/** `crewroom doctor`: looks at everything the service needs, or at a handler, and says how to mend what is wrong. */
export async function run(call: Call<DoctorFlags>): Promise<ExitCode> {
  const {context, flags} = call;
  const {stdout} = context;
  assertOneSubject(flags);
  const steps = flags.scriptUrl === undefined ? examine(call) : examineHandler(flags.scriptUrl, call);
  const nameWidth = flags.scriptUrl === undefined ? NAME_WIDTH : HANDLER_NAME_WIDTH;
  const {isTerminal, columns} = stdout;
  const formatter = createFindingFormatter(nameWidth, {style: styleOf(stdout, context), isTerminal, columns});
  const findings: Finding[] = [];
  for await (const step of steps) {
    findings.push(...step);
    if (!flags.json) await stdout.write(formatter.step(step));
  }
  const problems = findings.filter(({level}) => level === 'problem').length;
  const warnings = findings.filter(({level}) => level === 'warning').length;
  await stdout.write(flags.json ? jsonLine({findings, problems, warnings}) : formatter.end());
  return problems > 0 ? EXIT.failure : EXIT.ok;
}

/** Width of the longest name of a check of this machine, in characters. */
const NAME_WIDTH = 'localhost'.length;

/** Width of the longest name of a check of a handler, in characters. */
const HANDLER_NAME_WIDTH = 'Unknown session'.length;

function assertOneSubject({scriptUrl, username, passwordFile, deep}: DoctorFlags): void {
  if (scriptUrl !== undefined && deep) throw invalidUsage('doctor', '--deep looks at the store, not at a handler');
  if (scriptUrl === undefined && (username !== undefined || passwordFile !== undefined))
    throw invalidUsage('doctor', '--username and --password-file go with --script-url only');
  if (username === undefined && passwordFile !== undefined)
    throw invalidUsage('doctor', '--password-file needs --username too');
}

async function* examineHandler(scriptURL: string, {context, flags}: Call<DoctorFlags>): Steps {
  const {username, passwordFile} = flags;
  const {readPassword} = await import('../password.ts');
  const {walkHandler} = await import('../doctor/handler/walk.ts');
  const credentials =
    username === undefined ? undefined : {username, password: await readPassword(passwordFile, context)};
  const progress = showProgress('Walking the handler', context);
  try {
    for await (const step of walkHandler({scriptURL, credentials}, {...context, pause, onStep: progress.say})) {
      await progress.clear();
      yield step;
    }
  } finally {
    await progress.clear();
  }
}

async function* examine(call: Call<DoctorFlags>): Steps {
  const {context, flags} = call;
  const inspected = inspectConfig(await readSources(call));
  const {host, port, dataDir, profile, airline, ephemeral} = inspected.config;
  yield [checkNode(), ...checkSettings(inspected)];
  yield [await checkLocalhost(), checkCache(platformPaths().cacheDir, context.userId)];
  // A setting that cannot be used was found already; what depends on it waits.
  if (profile !== undefined) yield await (await import('../doctor/check-profile.ts')).checkProfile(profile);
  const {checkAirline, checkSession} = await import('../doctor/check-session.ts');
  if (airline !== undefined) yield await checkAirline(airline);
  yield [await checkSession(inspected.config, context.environment)];
  const data = dataDir !== undefined && ephemeral === false ? await examineData(dataDir) : [];
  yield data;
  if (ephemeral) yield [{check: 'Data', level: 'ok', detail: 'in memory, gone when the service stops'}];
  if (host === undefined || port === undefined) return;
  const {checkPort} = await import('../doctor/check-port.ts');
  const {checkService} = await import('../doctor/check-service.ts');
  yield await checkPort({host, port}, context);
  yield [await checkService({host, port}, context)];
  // A directory that cannot be used at all was found already.
  const isUsable = !data.some(({check, level}) => check === 'Data' && level === 'problem');
  if (flags.deep && dataDir !== undefined && ephemeral === false && isUsable)
    yield await examineEntries({dataDir, host, port}, context);
}

async function examineData(dataDir: string): Promise<readonly Finding[]> {
  const {checkData} = await import('../doctor/check-data.ts');
  return checkData(dataDir);
}

async function examineEntries(place: EntriesPlace, context: CliContext): Promise<readonly Finding[]> {
  const {checkEntries} = await import('../doctor/check-entries.ts');
  const progress = showProgress('Verifying entries', context);
  const stop = listenForStop(context);
  const interrupted = new AbortController();
  void stop.asked.then(() => interrupted.abort(new InterruptedError()));
  try {
    return await checkEntries(place, {onProgress: progress.update, signal: interrupted.signal});
  } finally {
    stop.release();
    await progress.clear();
  }
}
