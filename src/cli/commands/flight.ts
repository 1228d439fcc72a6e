import type {FlightStatus} from '../../domain/plugins/flight.ts';
import {FLIGHT_PHASES} from '../../domain/plugins/flight.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {FlightCommand} from '../../protocol/plugin/flight-document.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {connectPlugins, type PluginClient} from '../service/plugin-client.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';

type FlightCall = CallOf<'flight'>;

/** `crewroom flight`: starts and moves the simulated flight. */
export async function run(call: FlightCall): Promise<ExitCode> {
  const {stdout, stderr} = call.context;
  const act = readAction(call);
  const client = await connectPlugins(call);
  const flight = await act(client);
  if (call.flags.json) await stdout.write(jsonLine(flight ?? {stopped: true}));
  else if (flight !== undefined) await stdout.write(formatFlight(flight));
  else if (stderr.isTerminal) await stderr.write('Stopped the flight\n');
  return EXIT.ok;
}

/** Reads the command line before anything is sent. */
function readAction(call: FlightCall): (client: PluginClient) => Promise<FlightStatus | undefined> {
  const [action = '', phase] = call.arguments;
  if (action !== 'jump' && phase !== undefined) throw invalidUsage('flight', `${action} takes no PHASE`);
  if (action !== 'start') assertNoOptions(call.flags, action);
  switch (action) {
    case 'status':
      return client => client.flight();
    case 'stop':
      return client => client.stopFlight().then(() => undefined);
    case 'start':
      return change(readStart(call.flags));
    case 'jump':
      return change(readJump(phase));
    // The parser knows no other action.
    default:
      return change({action: action === 'pause' ? action : 'disconnect'});
  }
}

function change(command: FlightCommand): (client: PluginClient) => Promise<FlightStatus> {
  return client => client.changeFlight(command);
}

function assertNoOptions({from, to, speed, seed}: CallOf<'flight'>['flags'], action: string): void {
  if ([from, to, speed, seed].some(option => option !== undefined))
    throw invalidUsage('flight', `${action} takes none of --from, --to, --speed and --seed`);
}

function readStart({from, to, speed, seed}: CallOf<'flight'>['flags']): FlightCommand {
  return {
    action: 'start',
    ...(from === undefined ? {} : {from}),
    ...(to === undefined ? {} : {to}),
    ...(speed === undefined ? {} : {speed: readNumber('--speed', speed)}),
    ...(seed === undefined ? {} : {seed: readNumber('--seed', seed)}),
  };
}

function readNumber(flag: string, text: string): number {
  if (!/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text))
    throw invalidUsage('flight', `${flag} takes a number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function readJump(given = ''): FlightCommand {
  const phase = FLIGHT_PHASES.find(each => each === given.toUpperCase());
  if (phase === undefined) throw invalidUsage('flight', `jump needs a PHASE: ${FLIGHT_PHASES.join(', ')}`);
  return {action: 'jump', phase};
}

/** Describes a flight on two lines. */
function formatFlight(flight: FlightStatus): string {
  const {from, to, number, phase, altitudeFeet, groundSpeedKnots, toGoNauticalMiles, speed, isPaused} = flight;
  const states = [
    isPaused ? 'paused' : '',
    flight.isConnected ? '' : 'simulator disconnected',
    speed === 1 ? '' : `${speed}x`,
  ];
  const notes = states.filter(text => text !== '');
  const head = `Flight ${number} from ${from.code} (${from.name}) to ${to.code} (${to.name})`;
  const position = [
    phase,
    `${Math.round(altitudeFeet)} ft`,
    `${Math.round(groundSpeedKnots)} kt`,
    `${Math.round(toGoNauticalMiles)} nm to go`,
    ...notes,
  ];
  return `${escapeControls(head)}\n  ${escapeControls(position.join(' · '))}\n`;
}
