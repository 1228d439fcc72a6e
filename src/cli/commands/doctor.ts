import {inspectConfig} from '../../config/resolve-config.ts';
import {locateStore} from '../../config/store-location.ts';
import {checkCache} from '../../doctor/check-cache.ts';
import type {EntriesPlace} from '../../doctor/check-entries.ts';
import {checkLocalhost, checkNamesBelow, checkNode} from '../../doctor/check-machine.ts';
import {checkSettings} from '../../doctor/check-settings.ts';
import type {DoctorContext} from '../../doctor/context.ts';
import {type Finding, type Findings, findingOf} from '../../doctor/finding.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {assertDataDir} from '../../paths.ts';
import {serviceUrl} from '../../system/loopback.ts';
import type {CallOf} from '../catalogue/call.ts';
import {EMPTY_USERNAME, invalidUsage} from '../failures/usage.ts';
import {readSources} from '../input/settings.ts';
import {createFindingFormatter} from '../output/format-findings.ts';
import {createOwnerFetch, listOwnerFiles} from '../service/owner-fetch.ts';
import type {CliContext} from '../terminal/context.ts';
import {jsonLine} from '../terminal/escape.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {startProgress} from '../terminal/progress.ts';
import {styleOf} from '../terminal/style.ts';

/** `crewroom doctor`: checks this machine, or a back end, and prints problems with their fixes. */
export async function run(call: CallOf<'doctor'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {stdout} = context;
  assertOneSubject(flags);
  const steps = flags.scriptUrl === undefined ? examine(call) : examineBackEnd(flags.scriptUrl, call);
  const nameWidth = flags.scriptUrl === undefined ? NAME_WIDTH : BACK_END_NAME_WIDTH;
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

/** Width of the longest name of a check of a back end, in characters. */
const BACK_END_NAME_WIDTH = 'Unknown session'.length;

function assertOneSubject({scriptUrl, username, passwordFile, deep}: CallOf<'doctor'>['flags']): void {
  if (scriptUrl !== undefined && deep) throw invalidUsage('doctor', '--deep checks the store, not a back end');
  if (scriptUrl === undefined && (username !== undefined || passwordFile !== undefined))
    throw invalidUsage('doctor', '--username and --password-file require --script-url');
  if (username?.trim() === '') throw invalidUsage('doctor', EMPTY_USERNAME);
  if (username === undefined && passwordFile !== undefined)
    throw invalidUsage('doctor', '--password-file needs --username too');
}

async function* examineBackEnd(scriptURL: string, call: CallOf<'doctor'>): Findings {
  const {context, flags} = call;
  const {username, passwordFile} = flags;
  const {allowPlainHttp} = inspectConfig(await readSources(call)).config;
  const {readPassword} = await import('../input/password.ts');
  const {walkBackEnd} = await import('../../doctor/backend/walk.ts');
  const credentials =
    username === undefined ? undefined : {username, password: await readPassword(passwordFile, context)};
  const progress = startProgress(context, {delayMs: 0});
  const onStep = (step: string): void => progress.show(() => `Checking the back end: ${step}`);
  try {
    for await (const step of walkBackEnd({scriptURL, credentials}, {...context, allowPlainHttp, onStep})) {
      await progress.clear();
      yield step;
    }
  } finally {
    await progress.clear();
  }
}

async function* examine(call: CallOf<'doctor'>): Findings {
  const {context, flags} = call;
  const inspected = inspectConfig(await readSources(call));
  const {host, port, dataDir, profile, airline, ephemeral, allowUser, store} = inspected.config;
  yield [checkNode(context.nodeVersion), ...checkSettings(inspected)];
  yield [
    await checkLocalhost(),
    await checkNamesBelow(context.platform),
    checkCache(context.paths.cacheDir, context.userId),
  ];
  // An invalid setting is reported already; checks that depend on it are skipped.
  if (allowUser !== undefined)
    yield [await (await import('../../doctor/check-users.ts')).checkUsers(allowUser, context.platform)];
  if (profile !== undefined) yield await (await import('../../doctor/check-profile.ts')).checkProfile(profile);
  const {checkAirline, checkSession} = await import('../../doctor/check-session.ts');
  if (airline !== undefined) yield await checkAirline(airline);
  yield [await checkSession(inspected.config, context)];
  const data = dataDir !== undefined && ephemeral === false ? await examineData(dataDir, context) : [];
  yield data;
  if (ephemeral) yield [{check: 'Data', level: 'ok', detail: 'in memory, gone when the service stops'}];
  const location = store === undefined ? undefined : locateStore(store);
  if (location?.kind === 'etcd') {
    const {checkSharedStore} = await import('../../doctor/check-shared-store.ts');
    yield await checkSharedStore(location, context);
  }
  if (host === undefined || port === undefined) return;
  const {checkPort} = await import('../../doctor/check-port.ts');
  const {checkService} = await import('../../doctor/check-service.ts');
  yield await checkPort({host, port}, context);
  const files = listOwnerFiles({dataDir, port}, context);
  const called = {url: serviceUrl({host, port}), userId: context.userId, files, isRequired: false, ownOnly: false};
  const machine: DoctorContext = {...context, fetch: createOwnerFetch(called)};
  yield await checkService({host, port}, machine);
  // An unusable directory is reported already.
  const isUsable = !data.some(({check, level}) => check === 'Data' && level === 'problem');
  if (flags.deep && dataDir !== undefined && ephemeral === false && isUsable)
    yield await examineEntries({dataDir, host, port}, machine, context);
}

async function examineData(dataDir: string, context: CliContext): Promise<readonly Finding[]> {
  try {
    assertDataDir(dataDir);
  } catch (error) {
    return [findingOf('Data', error)];
  }
  const {checkData} = await import('../../doctor/check-data.ts');
  return checkData(dataDir, context);
}

async function examineEntries(
  place: EntriesPlace,
  machine: DoctorContext,
  context: CliContext,
): Promise<readonly Finding[]> {
  const {checkEntries} = await import('../../doctor/check-entries.ts');
  const progress = startProgress(context, {delayMs: 0});
  const onProgress = (done: number, total: number | undefined): void =>
    progress.show(() => `Verifying entries: ${total === undefined ? done : `${done} of ${total}`}`);
  return untilInterrupted(context, signal => checkEntries(place, machine, {onProgress, signal})).finally(
    progress.clear,
  );
}
