import {openCrewroom} from '../../app.ts';
import type {Crewroom} from '../../crewroom.ts';
import type {NotedRequest} from '../../domain/recorded-request.ts';
import {EXIT} from '../../failures/exit-codes.ts';
import {findHalves} from '../../plugins/directory/plugin-halves.ts';
import {wait} from '../../time/wait.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {type DevBackEnd, startDevBackEnd} from '../dev/back-end.ts';
import {checkPageServer} from '../dev/check-page-server.ts';
import {createDevReporter, type DevReporter} from '../dev/dev-reporter.ts';
import {type DevSettings, readDevSettings} from '../dev/dev-settings.ts';
import {findHints} from '../dev/find-hints.ts';
import {followCommand} from '../dev/follow-command.ts';
import {followPlugin, pluginIn, untilBuilt} from '../dev/follow-plugin.ts';
import {provideSdks} from '../dev/provide-sdks.ts';
import {startCommand} from '../dev/side-command.ts';
import {createLoopbackFetch} from '../service/http-fetch.ts';
import {untilStarted} from '../service/until-started.ts';
import {listenForStop, programParts, type StopRequest} from '../terminal/stop-request.ts';

/** `crewroom dev`: runs a plugin in development until a signal stops it, or the command beside it fails. */
export async function run(call: CallOf<'dev'>): Promise<number> {
  // First of all: a signal during start-up stops it in good order too.
  const stop = listenForStop(call.context);
  const over = new AbortController();
  void stop.asked.then(() => over.abort());
  let reporter: DevReporter | undefined;
  try {
    const {context, flags} = call;
    const settings = await readDevSettings(call);
    // The parser has checked it.
    const requests = (flags.requests ?? 'all') as RequestChoice;
    const given = {requests, json: flags.json === true, opens: flags.noOpen !== true};
    reporter = createDevReporter({context, stop, logLevel: settings.config.logLevel, ...given});
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
  readonly reporter: DevReporter;
  readonly stop: StopRequest;
  /** Aborted when it is to end. */
  readonly signal: AbortSignal;
}

async function develop(development: Development): Promise<number> {
  const {call, settings, reporter, stop, signal} = development;
  const {directory, pageServer} = settings;
  const {context, flags} = call;
  let crewroom: Crewroom | undefined;
  const onAnswer = (answered: NotedRequest): void => crewroom?.requests.note(answered);
  const backEnd =
    flags.backEnd === undefined ? undefined : await startDevBackEnd(flags.backEnd, {context, directory, onAnswer});
  // The session of a back end that ends with this process is not kept.
  const config =
    backEnd === undefined ? settings.config : {...settings.config, airline: backEnd.airlineFile, keep: false};
  const parts = {log: reporter.log, pageServer, takesForeignPlugins: true, ...programParts(context, stop)};
  // Before a background starts, and before a command builds the plugin.
  const provided = await provideSdks(directory);
  const over = new AbortController();
  let isReported = false;
  const aborted = whenAborted(signal).then(() => EXIT.ok);
  let running: Promise<number> | undefined;
  try {
    crewroom = await openCrewroom(config, parts);
    const [pilot] = backEnd?.pilots ?? [];
    if (pilot !== undefined) await crewroom.sessions.signIn({username: pilot.number, password: pilot.password});
    const listening = await crewroom.listen();
    const address = {host: config.host, port: listening.port};
    if (call.command.length > 0)
      running = followCommand({
        ...context,
        start: () => startCommand(call.command, {context, directory, address, pageServer}),
        hasServed: () => isReported && pageServer !== undefined,
        note: reporter.note,
        signal: AbortSignal.any([signal, over.signal]),
      });
    const onReport = (): void => {
      isReported = true;
    };
    const reported = report({crewroom, ...listening, provided, backEnd, onReport}, development);
    const ended = Promise.race([aborted, ...(running === undefined ? [] : [running])]);
    await Promise.race([ended, reported]);
    const exitCode = await ended;
    if (signal.aborted) reporter.stopping();
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
  readonly crewroom: Crewroom;
  /** Messages about SDKs. */
  readonly provided: readonly string[];
  readonly backEnd: DevBackEnd | undefined;
  readonly port: number;
  readonly urls: readonly string[];
  /** Called before the plugin is reported. */
  readonly onReport: () => void;
}

/** Reports the plugin once it runs, or once it is known why it does not, and then what its author may want to change. */
async function report(listening: Listening, {call, settings, reporter, signal}: Development): Promise<void> {
  const {plugins} = listening.crewroom;
  const {directory, pageServer, portHolder} = settings;
  const started = (): Promise<unknown> => Promise.race([untilStarted(plugins), whenAborted(signal)]);
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
  listening.onReport();
  await reporter.started({...listening, plugin: pluginIn(plugins, directory), halves, pageServer, portHolder});
  followPlugin(plugins, {directory, reporter, nowMs: call.context.nowMs, signal});
  const [given] = call.arguments;
  const hints = await findHints(directory, {halves, hasPageServer: pageServer !== undefined, given});
  for (const text of [...(problem === undefined ? [] : [problem]), ...listening.provided, ...hints])
    reporter.note(text);
}
