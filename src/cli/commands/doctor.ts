import {isFailure} from '../../core/failures/app-error.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {adviseOnCode} from '../../core/failures/facts.ts';
import {describeProblem} from '../../core/failures/members/problems.ts';
import {SETTING_NAMES} from '../../platform/config/config.ts';
import {DEFAULT_ORIGIN, type InspectedConfig, inspectConfig} from '../../platform/config/resolve-config.ts';
import {locateStore} from '../../platform/config/store-location.ts';
import {assertDataDir} from '../../platform/paths.ts';
import {isLoopback, serviceUrl} from '../../platform/system/loopback.ts';
import {readProfile} from '../../service/identity/profile-source.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {EntriesPlace} from '../doctor/check-entries.ts';
import {checkLocalhost, checkNamesBelow, checkNode, checkUsers} from '../doctor/check-machine.ts';
import {
  type DoctorContext,
  type Finding,
  type FindingLevel,
  type Findings,
  findingOf,
  NamedCheck,
} from '../doctor/finding.ts';
import {EMPTY_USERNAME, invalidUsage} from '../failures/report.ts';
import {readSources} from '../input/settings.ts';
import {createOwnerFetch, listOwnerFiles} from '../service/owner-fetch.ts';
import {type CliContext, escapeControls, type Style, styleOf} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {startProgress} from '../terminal/progress.ts';
import {asCalled} from '../terminal/stop-request.ts';
import {wrapWords} from '../terminal/table.ts';

/** `crewroom doctor`: checks this machine, or a back end, and prints problems with their fixes. */
export async function run(call: CallOf<'doctor'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {stdout} = context;
  assertOneSubject(flags);
  const steps = flags.scriptUrl === undefined ? examine(call) : examineBackEnd(flags.scriptUrl, call);
  const nameWidth = flags.scriptUrl === undefined ? NAME_WIDTH : BACK_END_NAME_WIDTH;
  const style = styleOf(stdout, context);
  const format = createFindingFormatter({nameWidth, style, isTerminal: stdout.isTerminal});
  const findings: Finding[] = [];
  for await (const step of steps) {
    findings.push(...step);
    const shown = step.map(({fix, ...finding}) => ({...finding, fix: fix && asCalled(fix, context)}));
    if (!flags.json) await stdout.write(format(shown));
  }
  const problemCount = findings.filter(({level}) => level === 'problem').length;
  const warningCount = findings.filter(({level}) => level === 'warning').length;
  const exitCode = problemCount > 0 ? EXIT.findings : EXIT.ok;
  const text = `\n${summarise(problemCount, warningCount, style)}\n`;
  return {json: {findings, problemCount, warningCount}, text, exitCode};
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
  const {walkBackEnd} = await import('../doctor/backend/walk.ts');
  const credentials =
    username === undefined ? undefined : {username, password: await readPassword(passwordFile, context)};
  await using progress = startProgress(context, {delayMs: 0});
  const onStep = (step: string): void => progress.show(() => `Checking the back end: ${step}`);
  for await (const step of walkBackEnd({scriptURL, credentials}, {...context, allowPlainHttp, onStep})) {
    await progress.clear();
    yield step;
  }
}

async function* examine(call: CallOf<'doctor'>): Findings {
  const {context, flags} = call;
  const inspected = inspectConfig(await readSources(call));
  const {host, port, dataDir, profile, airline, ephemeral, allowUsers, store} = inspected.config;
  yield [checkNode(context.nodeVersion), ...checkSettings(inspected)];
  yield [await checkLocalhost(), await checkNamesBelow(context.platform)];
  // An invalid setting is reported already; checks that depend on it are skipped.
  if (allowUsers !== undefined) yield [await checkUsers(allowUsers, context.platform)];
  if (profile !== undefined) yield await checkProfile(profile);
  const {checkAirline, checkSession} = await import('../doctor/check-session.ts');
  if (airline !== undefined) yield await checkAirline(airline);
  yield [await checkSession(inspected.config, context)];
  yield await checkAutostart(call);
  const data = dataDir !== undefined && ephemeral === false ? await examineData(dataDir, context) : [];
  yield data;
  if (ephemeral) yield [{check: 'Data', level: 'ok', detail: 'in memory, gone when the service stops'}];
  const location = store === undefined ? undefined : locateStore(store);
  if (location?.kind === 'etcd') {
    const {checkSharedStore} = await import('../doctor/check-shared-store.ts');
    yield await checkSharedStore(location, context);
  }
  if (host === undefined || port === undefined) return;
  const {checkPort} = await import('../doctor/check-port.ts');
  const {checkService} = await import('../doctor/check-service.ts');
  yield await checkPort({host, port}, context);
  const files = listOwnerFiles({dataDir, port}, context);
  const called = {url: serviceUrl({host, port}), userId: context.userId, files, isRequired: false, ownOnly: false};
  const machine: DoctorContext = {...context, fetch: createOwnerFetch(called)};
  yield await checkService({host, port}, machine);
  // An unusable directory is reported already.
  const isUsable = !data.some(({check, level}) => check === 'Data' && level === 'problem');
  const etcd = location?.kind === 'etcd' ? {...location, nowMs: context.nowMs} : undefined;
  const ownDir = dataDir !== undefined && ephemeral === false && isUsable ? dataDir : undefined;
  if (flags.deep && (etcd ?? ownDir) !== undefined)
    yield await examineEntries({dataDir: etcd ? undefined : ownDir, etcd, host, port}, machine, context);
}

/** Reports what starts the service at log-on, if that is installed: its program may be gone. */
async function checkAutostart(call: CallOf<'doctor'>): Promise<readonly Finding[]> {
  const {createAutostart} = await import('../autostart/create.ts');
  const {findGone} = await import('../autostart/autostart.ts');
  const find = async () => createAutostart(call).installed();
  // There may be no service manager, or what is there is not ours.
  const installed = await find().catch(() => undefined);
  if (installed === undefined) return [];
  const check = new NamedCheck('Log-on');
  const gone = findGone(installed);
  if (gone === undefined) return [check.ok(installed.place)];
  return [check.problem(`${installed.place} starts ${gone}, which is gone`, 'Run "crewroom service install" again')];
}

async function examineData(dataDir: string, context: CliContext): Promise<readonly Finding[]> {
  try {
    assertDataDir(dataDir);
  } catch (error) {
    return [findingOf('Data', error)];
  }
  const {checkData} = await import('../doctor/check-data.ts');
  return checkData(dataDir, context);
}

async function examineEntries(
  place: EntriesPlace,
  machine: DoctorContext,
  context: CliContext,
): Promise<readonly Finding[]> {
  const {checkEntries} = await import('../doctor/check-entries.ts');
  await using progress = startProgress(context, {delayMs: 0});
  const onProgress = (done: number, total: number | undefined): void =>
    progress.show(() => `Verifying entries: ${total === undefined ? done : `${done} of ${total}`}`);
  return await untilInterrupted(context, signal => checkEntries(place, machine, {onProgress, signal}));
}

/** Reports each invalid setting; otherwise the settings that differ from their defaults. */
function checkSettings({problems, origins, config}: InspectedConfig): readonly Finding[] {
  const check = new NamedCheck('Settings');
  const findings = problems.map(({source, problem}): Finding => {
    return check.problem(`${source} ${problem}`, adviseOnCode('invalid-configuration'));
  });
  const {host} = config;
  if (host !== undefined && !isLoopback(host)) {
    const detail = `host is ${JSON.stringify(host)}, which other machines could call`;
    findings.push(check.problem(detail, adviseOnCode('unsafe-host')));
  }
  if (findings.length > 0) return findings;
  const changed = SETTING_NAMES.filter(name => origins[name] !== DEFAULT_ORIGIN);
  return [check.ok(changed.length === 0 ? 'all at their defaults' : `${changed.join(', ')} changed`)];
}

const CHECK = new NamedCheck('Identity');

/** Reports which identity is served, or the problems of the profile. */
async function checkProfile(profile: string): Promise<readonly Finding[]> {
  if (profile === '') return [CHECK.ok('the sample that comes with Crewroom')];
  if (profile === 'none') return [CHECK.ok('none, because of --profile none')];
  try {
    const {summary, filled = []} = await readProfile(profile);
    const missing = filled.length === 0 ? '' : `; from the sample, since the file lacks them: ${filled.join(', ')}`;
    return [CHECK.ok(`${summary}, from ${profile}${missing}`)];
  } catch (error) {
    if (!isFailure(error, 'invalid-profile')) return [findingOf(CHECK.name, error)];
    const fix = adviseOnCode('invalid-profile');
    return error.failure.problems.map(problem => CHECK.problem(`${profile}: ${describeProblem(problem)}`, fix));
  }
}

/** The form in which findings are printed. */
interface FindingStyle {
  readonly style: Style;
  /** True if levels are marks; otherwise they are words, which programs can find. */
  readonly isTerminal: boolean;
  /** Width of the names of checks, in characters. */
  readonly nameWidth: number;
}

const MARKS = {ok: '✔', warning: '!', problem: '✖', skipped: '–'} as const satisfies Record<FindingLevel, string>;

/** Creates a formatter of what each step found, for people: one line for each finding, with its fix below. */
function createFindingFormatter(shown: FindingStyle): (findings: readonly Finding[]) => string {
  const all: Finding[] = [];
  const formatOne = (finding: Finding, next: Finding | undefined): string => {
    // People read a name once; programs search each line for it.
    const isRepeated = shown.isTerminal && all.at(-1)?.check === finding.check;
    const fix = finding.fix !== undefined && next?.fix === finding.fix ? undefined : shortenFix(finding, all);
    all.push(finding);
    return formatFinding(
      {...finding, fix},
      {...shown, name: (isRepeated ? '' : finding.check).padEnd(shown.nameWidth)},
    );
  };
  return findings => findings.map((finding, index) => formatOne(finding, findings[index + 1])).join('');
}

/** Refers to the first check with the same fix, so that people read it once. */
function shortenFix({check, fix}: Finding, before: readonly Finding[]): string | undefined {
  const first = before.find(each => each.fix === fix && each.check !== check);
  return fix === undefined || first === undefined ? fix : `See "${first.check}"`;
}

function formatFinding(
  {level, detail, fix}: Finding,
  {style, isTerminal, name}: FindingStyle & {name: string},
): string {
  const mark = colourOf(level, style)(isTerminal ? MARKS[level] : level.padEnd('problem'.length));
  const indent = ' '.repeat((isTerminal ? 1 : 'problem'.length) + 1 + name.length + 2);
  const width = style.columns - indent.length;
  const [first, ...others] = wrapWords(escapeControls(detail), width);
  const lines = [`${mark} ${style.bold(name)}  ${first}`, ...others.map(line => `${indent}${line}`)];
  const fixes = fix === undefined ? [] : wrapWords(escapeControls(fix), width - ARROW.length);
  lines.push(...fixes.map((line, index) => `${indent}${style.dim(`${index === 0 ? ARROW : '  '}${line}`)}`));
  return lines.map(line => `${line}\n`).join('');
}

const ARROW = '→ ';

function summarise(problems: number, warnings: number, style: Style): string {
  const told = [
    ...(problems > 0 ? [style.red(`${problems} ${problems === 1 ? 'problem' : 'problems'}`)] : []),
    ...(warnings > 0 ? [style.yellow(`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`)] : []),
  ];
  return told.length === 0 ? style.green('No problems found') : told.join(', ');
}

function colourOf(level: FindingLevel, style: Style): (text: string) => string {
  switch (level) {
    case 'ok':
      return style.green;
    case 'warning':
      return style.yellow;
    case 'problem':
      return style.red;
    case 'skipped':
      return style.dim;
  }
}
