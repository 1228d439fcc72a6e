import {fileURLToPath} from 'node:url';
import {openService} from '../../app/app.ts';
import type {Service} from '../../app/crewroom.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {VERSION} from '../../core/version.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {type DevBackEnd, startDevBackEnd} from '../dev/back-end.ts';
import {type DevSettings, readDevSettings} from '../dev/dev-settings.ts';
import {openReporter, type ServiceReporter, type Started} from '../live/service-reporter.ts';
import {formatRows, mainAddress, type Row} from '../output/banner.ts';
import {createOwnCode} from '../service/owner-code.ts';
import {untilStarted} from '../service/until-started.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {listenForStop, programName, programParts, type StopRequest} from '../terminal/stop-request.ts';

/** The example of a plugin: the build copies it, seen from the sources and from the built files alike. */
const EXAMPLE_FOLDER = fileURLToPath(new URL('../../../dist/example-plugin/', import.meta.url));

/** Entries as plugins of an airline keep them. */
const SAMPLE_ENTRIES: Readonly<Record<string, unknown>> = {
  'com.example.dispatch/release': {flight: 'CAV100', from: 'EDDF', to: 'LPMA', fuelKg: 9400, passengers: 148},
  'com.example.dispatch/notes': ['Runway 05 in use at Madeira', 'Expect gusts on final'],
  'com.example.weather/EDDF': 'EDDF 261250Z 24008KT 9999 SCT030 12/06 Q1019',
  'com.example.weather/LPMA': 'LPMA 261300Z 03018G29KT 9999 FEW025 19/12 Q1021',
};

/** Simulated seconds per second of the flight: it is in the air within minutes. */
const FLIGHT_SPEED = 60;

/** `crewroom play`: everything once, in memory: the example of a plugin with a sample back end, entries and a flight, shown in the console. */
export async function run(call: CallOf<'play'>): Promise<ExitCode> {
  // First of all: a signal during start-up stops it in good order too.
  const stop = listenForStop(call.context);
  try {
    const flags = {ui: undefined, backEnd: undefined, noOpen: undefined, json: undefined, requests: undefined};
    await play(call, await readDevSettings({...call, flags, arguments: [EXAMPLE_FOLDER]}), stop);
    return EXIT.ok;
  } finally {
    stop.release();
  }
}

async function play(call: CallOf<'play'>, settings: DevSettings, stop: StopRequest): Promise<void> {
  const {context} = call;
  const {directory} = settings;
  const {logLevel, allowUsers} = settings.config;
  const requests = context.stderr.isTerminal ? 'refused' : undefined;
  using reporter = openReporter({context, stop, logLevel, requests, json: false});
  const {log} = reporter;
  let opened: Service | undefined;
  const given = {context, directory, log, allowUsers, service: () => opened};
  await using backEnd = await startDevBackEnd('sample', given);
  const config = {...settings.config, airline: backEnd.airlineFile, keepSession: false};
  const [pilot] = backEnd.pilots;
  const trialPilot = pilot && {name: 'Ada', username: pilot.number, password: pilot.password};
  const parts = {log, takesForeignPlugins: true, trialPilot, ...programParts(context, stop)};
  await using crewroom = await openService(config, parts);
  opened = crewroom;
  await fill(crewroom, backEnd);
  const started = {crewroom, ...(await crewroom.listen())};
  await Promise.race([untilStarted(crewroom.plugins), stop.asked]);
  if (stop.isAsked()) return;
  reporter.started(started, (style, after) => formatPlayBanner(call, {...started, ...settings}, style, after), {
    open: stepsAddress(started),
  });
  if (reporter.isForPeople && !call.flags.noOpen) await openSteps(call, started, reporter);
  reporter.stopping(await stop.asked);
}

/** Signs a pilot in, stores the sample entries, and starts the flight. */
async function fill({sessions, entries, flight}: Service, {pilots: [pilot]}: DevBackEnd): Promise<void> {
  if (pilot !== undefined) await sessions.signIn({username: pilot.number, password: pilot.password});
  for (const [key, value] of Object.entries(SAMPLE_ENTRIES)) await entries.put(key, value);
  flight.start({speed: FLIGHT_SPEED});
}

/** Returns the address of the console with the steps, for a page that only reads. */
function stepsAddress({port}: Started): string {
  return `http://crewroom.localhost:${port}/#/play`;
}

/** Opens the console with the steps, as the owner. */
async function openSteps({context}: CallOf<'play'>, started: Started, reporter: ServiceReporter): Promise<void> {
  const service = {config: started.crewroom.config, url: mainAddress(started)};
  const url = await createOwnCode(service, context).then(
    code => `${code.url}/play`,
    () => stepsAddress(started),
  );
  const problem = await openAddress(url, context);
  if (problem !== undefined) reporter.note(`No browser was opened: ${problem}`);
}

function formatPlayBanner(
  {context}: CallOf<'play'>,
  {portHolder, ...started}: Started & Pick<DevSettings, 'portHolder'>,
  style: Style,
  after: string,
): string {
  const rows: readonly Row[] = [
    ['Open', style.cyan(stepsAddress(started))],
    ['', style.dim('five steps; the key o opens it in the browser, as the owner')],
    ['Port', portHolder && `7172 is held by ${escapeControls(portHolder)}, so this is ${started.port}`],
    ['Pilot', escapeControls(started.crewroom.identitySource.current()?.summary ?? 'none')],
    ['Plugin', 'Logbook, with a page, a background and a sample back end'],
    ['Flight', `EDDF to LPMA, ${FLIGHT_SPEED} times as fast`],
    ['Data', 'in memory, deleted when it stops'],
    ['Next', `${programName(context)} plugin new my-plugin`],
    ['Stop', 'Ctrl+C'],
  ];
  return formatRows(`Crewroom ${VERSION} plays ${after}`, rows, style);
}
