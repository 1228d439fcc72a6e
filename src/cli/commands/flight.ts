import {FLIGHT_PHASES, type FlightOptions, type FlightStatus} from '../../domain/plugins/flight.ts';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {readBody} from '../../protocol/plugin/client-request.ts';
import type {FlightCommand} from '../../protocol/plugin/flight-document.ts';
import {readBookedFlight} from '../../protocol/plugin/flight-plan.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {readValue} from '../input/value-input.ts';
import {formatCount} from '../output/counts.ts';
import {connectPlugins, type PluginClient} from '../service/plugin-client.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';

type FlightCall = CallOf<'flight'>;

/** `crewroom flight`: starts and moves the simulated flight. */
export async function run(call: FlightCall): Promise<ExitCode> {
  const {stdout, stderr} = call.context;
  const act = await readAction(call);
  const client = await connectPlugins(call);
  const flight = await act(client);
  if (call.flags.json) await stdout.write(jsonLine(flight ?? {stopped: true}));
  else if (flight !== undefined) await stdout.write(formatFlight(flight));
  else if (stderr.isTerminal) await stderr.write('Stopped the flight\n');
  return EXIT.ok;
}

/** Reads the command line before anything is sent. */
async function readAction(call: FlightCall): Promise<(client: PluginClient) => Promise<FlightStatus | undefined>> {
  const [action = '', given] = call.arguments;
  if (action !== 'jump' && action !== 'speed' && given !== undefined)
    throw invalidUsage('flight', `${action} takes no PHASE`);
  if (action !== 'start') assertNoOptions(call.flags, action);
  switch (action) {
    case 'status':
      return client => client.flight();
    case 'stop':
      return client => client.stopFlight().then(() => undefined);
    case 'start':
      return change(await readStart(call));
    case 'jump':
      return change(readJump(given));
    case 'speed':
      return change({action, speed: readNumber('speed', given ?? '')});
    // The parser knows no other action.
    default:
      return change({action: action === 'pause' ? action : 'disconnect'});
  }
}

function change(command: FlightCommand): (client: PluginClient) => Promise<FlightStatus> {
  return client => client.changeFlight(command);
}

const START_FLAGS = ['from', 'to', 'number', 'aircraft', 'plan', 'speed', 'seed'] as const;

function assertNoOptions(flags: FlightCall['flags'], action: string): void {
  const given = START_FLAGS.find(name => flags[name] !== undefined);
  if (given !== undefined) throw invalidUsage('flight', `${action} takes no --${given}, which is for start`);
}

async function readStart({flags, context}: FlightCall): Promise<FlightCommand> {
  const {from, to, number, aircraft, plan, speed, seed} = flags;
  const planned = plan === undefined ? {} : await readPlan(plan, context);
  const given = {
    from,
    to,
    number,
    aircraft: aircraft === undefined ? undefined : {...planned.aircraft, code: aircraft},
    speed: speed === undefined ? undefined : readNumber('--speed', speed),
    seed: seed === undefined ? undefined : readNumber('--seed', seed),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {action: 'start', ...planned, ...set};
}

/** Reads a booking from a file. @throws {AppError} `unreadable-input`, `invalid-json`, `invalid-flight`. */
async function readPlan(file: string, context: CliContext): Promise<FlightOptions> {
  const bytes = await readValue(`@${file}`, context);
  const plan = readBookedFlight(readBody(Buffer.from(bytes)));
  if ('problem' in plan) throw new AppError({code: 'invalid-flight', problems: [plan]});
  return plan;
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

/** Describes a flight on two lines, its figures as the console has them. */
function formatFlight(flight: FlightStatus): string {
  const {from, to, number, phase, altitudeFeet, groundSpeedKnots, toGoNauticalMiles, speed, isPaused} = flight;
  const states = [
    isPaused ? 'paused' : '',
    flight.isConnected ? '' : 'simulator disconnected',
    speed === 1 ? '' : `${speed}x`,
  ];
  const notes = states.filter(text => text !== '');
  const by = flight.aircraft === undefined ? '' : `, ${flight.aircraft.code}`;
  const head = `Flight ${number} from ${from.code} (${from.name}) to ${to.code} (${to.name})${by}`;
  const position = [
    phase,
    `${formatCount(altitudeFeet)} ft`,
    `${formatCount(groundSpeedKnots)} kt`,
    `${formatCount(Math.round(toGoNauticalMiles))} NM to go`,
    ...notes,
  ];
  return `${escapeControls(head)}\n  ${escapeControls(position.join(' · '))}\n`;
}
