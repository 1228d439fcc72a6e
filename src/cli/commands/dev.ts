import {openService} from '../../app/app.ts';
import type {Service} from '../../app/crewroom.ts';
import type {PluginStatus, Plugins} from '../../core/domain/plugins/plugin.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {wait} from '../../core/time/wait.ts';
import {findHalves, type PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import {describeBuild, describeDevServer, findSources, type PluginSource} from '../../plugins/sources/find-sources.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {type DevBackEnd, startDevBackEnd} from '../dev/back-end.ts';
import {checkPageServer} from '../dev/check-page-server.ts';
import {type DevSettings, keepAddress, readDevSettings} from '../dev/dev-settings.ts';
import {provideSdks} from '../dev/provide-sdks.ts';
import {reportPlugin} from '../dev/report-plugin.ts';
import {type SideCommand, startCommand} from '../dev/side-command.ts';
import {openReporter, type ServiceReporter} from '../live/service-reporter.ts';
import {createLoopbackFetch} from '../service/http-fetch.ts';
import {untilStarted} from '../service/until-started.ts';
import type {CliContext} from '../terminal/context.ts';
import {listenForStop, programParts, type StopRequest} from '../terminal/stop-request.ts';

/** `crewroom dev`: runs a plugin in development until a signal stops it, or the command beside it fails. */
export async function run(call: CallOf<'dev'>): Promise<number> {
  // First of all: a signal during start-up stops it in good order too.
  const stop = listenForStop(call.context);
  const over = new AbortController();
  void stop.asked.then(() => over.abort());
  let reporter: ServiceReporter | undefined;
  try {
    const {context, flags} = call;
    const settings = await readDevSettings(call);
    // The parser has checked it.
    const requests = (flags.requests ?? 'all') as RequestChoice;
    const {logLevel} = settings.config;
    reporter = openReporter({context, stop, logLevel, requests, json: flags.json === true});
    return await develop({call, settings, reporter, stop, signal: over.signal});
  } finally {
    reporter?.[Symbol.dispose]();
    over.abort();
    stop.release();
  }
}

interface Development {
  readonly call: CallOf<'dev'>;
  readonly settings: DevSettings;
  readonly reporter: ServiceReporter;
  readonly stop: StopRequest;
  /** Aborted when it is to end. */
  readonly signal: AbortSignal;
}

async function develop(development: Development): Promise<number> {
  const {call, settings, reporter, stop, signal} = development;
  const {directory, pageServer} = settings;
  const {context, flags} = call;
  let crewroom: Service | undefined;
  const {allowUsers} = settings.config;
  const given = {context, directory, log: reporter.log, allowUsers, service: () => crewroom};
  const backEnd = flags.backEnd === undefined ? undefined : await startDevBackEnd(flags.backEnd, given);
  // The session of a back end that ends with this process is not kept.
  const config =
    backEnd === undefined ? settings.config : {...settings.config, airline: backEnd.airlineFile, keepSession: false};
  const parts = {log: reporter.log, pageServer, takesForeignPlugins: true, ...programParts(context, stop)};
  const over = new AbortController();
  const aborted = whenAborted(signal).then(() => EXIT.ok);
  let running: Promise<number> | undefined;
  try {
    // Before a background starts, and before a command builds the plugin.
    const provided = await provideSdks(directory);
    crewroom = await openService(config, parts);
    const [pilot] = backEnd?.pilots ?? [];
    if (pilot !== undefined) await crewroom.sessions.signIn({username: pilot.number, password: pilot.password});
    const listening = await crewroom.listen();
    const address = {host: config.host, port: listening.port};
    await using _kept = await keepAddress(address, {directory, crewroom, context, log: reporter.log});
    if (call.command.length > 0)
      running = followCommand(
        () => startCommand(call.command, {context, directory, address, pageServer}),
        AbortSignal.any([signal, over.signal]),
      );
    const reported = report({crewroom, ...listening, provided, backEnd}, development);
    const ended = Promise.race([aborted, ...(running === undefined ? [] : [running])]);
    await Promise.race([ended, reported]);
    const exitCode = await ended;
    if (signal.aborted) reporter.stopping(await stop.asked);
    return exitCode;
  } finally {
    over.abort();
    // The caller has its error.
    await running?.catch(() => {});
    await crewroom?.[Symbol.asyncDispose]();
    await backEnd?.[Symbol.asyncDispose]();
  }
}

/** Waits until a signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<void> {
  return wait(undefined, {signals: [signal]});
}

interface Listening {
  readonly crewroom: Service;
  /** Messages about SDKs. */
  readonly provided: readonly string[];
  readonly backEnd: DevBackEnd | undefined;
  readonly port: number;
  readonly urls: readonly string[];
}

/** Reports the plugin once it runs, or once known why it does not, and then what its author may want to change. */
async function report(listening: Listening, {call, settings, reporter, signal}: Development): Promise<void> {
  const {plugins} = listening.crewroom;
  const {directory, pageServer, portHolder} = settings;
  const started = (): Promise<unknown> =>
    Promise.race([untilStarted(plugins), wait(reporter.isForPeople ? PATIENCE_MS : undefined, {signals: [signal]})]);
  await started();
  const found = pluginIn(plugins, directory);
  // A plugin whose manifest is wrong has no known path.
  const problem =
    pageServer === undefined || found === undefined || found.state === 'broken'
      ? undefined
      : await checkPageServer(pageServer, `/plugins/${found.id}/`, {
          ...call.context,
          fetch: createLoopbackFetch(),
          signal,
        });
  // A build may have written the background meanwhile, or is about to.
  if (call.command.length > 0) await untilBuilt(plugins, {directory, signal});
  await started();
  if (signal.aborted) return;
  const halves = await findHalves(directory);
  const known = {...listening, plugin: pluginIn(plugins, directory), halves, pageServer, portHolder};
  await reportPlugin(call, known, reporter);
  followPlugin(plugins, {directory, reporter, nowMs: call.context.nowMs, signal});
  const [given] = call.arguments;
  const hints = await findHints(directory, {halves, hasPageServer: pageServer !== undefined, given});
  for (const text of [...(problem === undefined ? [] : [problem]), ...listening.provided, ...hints])
    reporter.note(text);
}

/** Time after which people who see nothing take a command for dead, in milliseconds; programs wait for the outcome. */
const PATIENCE_MS = 2000;

interface HintOptions {
  readonly halves: PluginHalves;
  /** True if the page comes from a dev server already. */
  readonly hasPageServer: boolean;
  /** Folder of the plugin as the user gave it; undefined for the working directory. */
  readonly given: string | undefined;
}

/** Returns what a plugin's author may want to do next: build its sources, or start its dev server. Runs nothing. */
async function findHints(directory: string, options: HintOptions): Promise<readonly string[]> {
  const sources = await findSources(directory, options.halves);
  const hints = await Promise.all(sources.map(source => describeSource(source, options)));
  return hints.flatMap(hint => hint ?? []);
}

async function describeSource(source: PluginSource, {hasPageServer, given}: HintOptions): Promise<string | undefined> {
  const {half, file, directory, project} = source;
  if (half === 'page' && hasPageServer) return undefined;
  const build = describeBuild(source, given ?? '');
  const server =
    half === 'background' || project === undefined ? undefined : await describeDevServer(directory, project, given);
  const ways = server === undefined ? build : `Show it with its dev server: ${server}. ${build}`;
  return `${file} is the source of the ${half}, which is not built. ${ways}`;
}

/**
 * Runs a command beside the service until a signal is aborted, or until it fails. A command that is done, such as a build, ends nothing.
 *
 * @returns The exit code with which it failed; 0 once the signal is aborted.
 */
async function followCommand(start: () => SideCommand, signal: AbortSignal): Promise<number> {
  const aborted = whenAborted(signal).then(() => EXIT.ok);
  await using command = start();
  const exitCode = await Promise.race([aborted, command.ended]);
  // On a terminal Ctrl+C ends the command too.
  return exitCode === EXIT.ok || signal.aborted ? aborted : (exitCode ?? EXIT.failure);
}

/** Returns the plugin in a folder; undefined if the folder is not known. */
function pluginIn(plugins: Plugins, directory: string): PluginStatus | undefined {
  return plugins.list().find(plugin => plugin.directory === directory);
}

/** Longest wait for the first build of a background once the page is there, in milliseconds: those of published plugins take one or two. */
const BUILD_WAIT_MS = 5000;

/** Waits until the background of a plugin is built, or its build has failed, or {@link BUILD_WAIT_MS} are over. */
async function untilBuilt(
  plugins: Plugins,
  {directory, signal}: Pick<FollowPluginDeps, 'directory' | 'signal'>,
): Promise<void> {
  const built = new AbortController();
  const check = (): void => {
    const {state, error} = pluginIn(plugins, directory) ?? {};
    if (state !== 'not-built' || error !== undefined) built.abort();
  };
  const stop = plugins.onState(check);
  check();
  await wait(BUILD_WAIT_MS, {signals: [signal, built.signal]});
  stop();
}

interface FollowPluginDeps extends Pick<CliContext, 'nowMs'> {
  readonly directory: string;
  readonly reporter: ServiceReporter;
  /** Ends the reports. */
  readonly signal: AbortSignal;
}

/** Reports when the plugin in a folder stops running because of its files, and each warning that a change of them brings. */
function followPlugin(plugins: Plugins, {directory, reporter, nowMs, signal}: FollowPluginDeps): void {
  let startedAtMs: number | undefined;
  let isReported = false;
  let isLoading = pluginIn(plugins, directory)?.state === 'starting';
  let told = new Set(pluginIn(plugins, directory)?.warnings);
  const check = (): void => {
    const {state, warnings = []} = pluginIn(plugins, directory) ?? {state: 'broken'};
    for (const warning of warnings) if (!told.has(warning)) reporter.note(`Warning: ${warning}`);
    // While it is started again, its background has none yet.
    if (state !== 'starting' && state !== 'restarting') told = new Set(warnings);
    if (state === 'running' || state === 'page-only') startedAtMs = nowMs();
    const isWrong = state === 'stopped' || state === 'broken';
    if (isWrong && !isReported) reporter.note(describeStop(startedAtMs));
    if (isLoading && state === 'running') reporter.note('The plugin has loaded, and runs');
    isLoading &&= state === 'starting';
    if (state !== 'starting') isReported = isWrong;
  };
  signal.addEventListener('abort', plugins.onState(check), {once: true});
  check();
}

function describeStop(startedAtMs: number | undefined): string {
  // In UTC, as the lines of the log and of requests.
  const last =
    startedAtMs === undefined
      ? 'It has not started yet'
      : `It last started at ${new Date(startedAtMs).toISOString().slice(11, 19)}`;
  return `The plugin does not run. ${last}; it is started again when you save a change`;
}
