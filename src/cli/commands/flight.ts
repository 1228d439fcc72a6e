import {
  FLIGHT_PHASES,
  type FlightChange,
  type FlightOptions,
  type FlightPhase,
  type FlightStatus,
} from '../../core/domain/plugins/flight.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {readBody} from '../../core/protocol/plugin/client-request.ts';
import {readBookedFlight} from '../../core/protocol/plugin/flight-plan.ts';
import {readFlight} from '../../core/protocol/plugin/flight-tracking.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {NUMBER} from '../catalogue/value-forms.ts';
import {invalidUsage} from '../failures/report.ts';
import {readValue} from '../input/value-input.ts';
import {formatCount} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {escapeControls} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

type FlightCall = CallOf<'flight'>;

/** `crewroom flight`: starts and moves the simulated flight. */
export async function run(call: FlightCall): Promise<CommandOutcome> {
  // The command line is read before anything is sent.
  const {method, body} = await readRequest(call);
  const {send} = await connect(call);
  const flight = await send(method, '/api/flight', readFlight, body);
  if (method === 'DELETE') return {json: {stoppedFlight: true}, lines: ['Stopped the flight']};
  if (flight === undefined) throw new AppError({code: 'no-flight'});
  return {json: flight, text: formatFlight(flight)};
}

async function readRequest(call: FlightCall): Promise<{readonly method: string; readonly body?: object}> {
  const [action = '', given = ''] = call.arguments;
  if (action === 'status') return {method: 'GET'};
  if (action === 'stop') return {method: 'DELETE'};
  return action === 'start'
    ? {method: 'POST', body: await readStart(call)}
    : {method: 'PATCH', body: readChange(action, given)};
}

function readChange(action: string, given: string): FlightChange {
  if (action === 'jump') return {phase: readPhase(given)};
  if (action === 'speed') return {speed: readSpeed(given)};
  if (action === 'pause' || action === 'continue') return {isPaused: action === 'pause'};
  return {isConnected: action === 'connect'};
}

async function readStart({flags, context}: FlightCall): Promise<FlightOptions> {
  const {from, to, number, aircraft, plan, speed, seed, 'landing-rate': landingRateFeetPerMinute} = flags;
  const booked = plan === undefined ? '{}' : await readValue(`@${plan}`, context);
  const planned = readBookedFlight(readBody(Buffer.from(booked)));
  const type = aircraft === undefined ? undefined : {...planned.aircraft, code: aircraft};
  const given = {from, to, number, aircraft: type, speed, seed, landingRateFeetPerMinute};
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {...planned, ...set};
}

function readSpeed(given: string): number {
  const speed = NUMBER.parse(given);
  if (speed === undefined) throw invalidUsage('flight', `speed needs ${NUMBER.form}, not ${JSON.stringify(given)}`);
  return speed;
}

function readPhase(given: string): FlightPhase {
  const phase = FLIGHT_PHASES.find(each => each === given.toUpperCase());
  if (phase === undefined) throw invalidUsage('flight', `jump needs a PHASE: ${FLIGHT_PHASES.join(', ')}`);
  return phase;
}

/** Describes a flight on two lines, its figures as the console has them. */
function formatFlight(flight: FlightStatus): string {
  const {from, to, number, phase, altitudeFeet, groundSpeedKnots, toGoNauticalMiles, speed = 1, isPaused} = flight;
  const by = flight.aircraft === undefined ? '' : `, ${flight.aircraft.code}`;
  const route = [from && `from ${from.code} (${from.name})`, to && `to ${to.code} (${to.name})`]
    .filter(Boolean)
    .join(' ');
  const of = flight.seed === undefined ? `, ${flight.simulator}` : '';
  const head = `Flight ${[number ?? 'without a plan', route].join(' ').trim()}${by}${of}`;
  const {verticalSpeedFeetPerMinute: rate, gForce} = flight.touchdown ?? {};
  const position = [
    phase,
    describeFigure(altitudeFeet, 'ft'),
    describeFigure(groundSpeedKnots, 'kt'),
    describeFigure(toGoNauticalMiles, 'NM to go'),
    rate === undefined ? '' : `landed at about ${rate} ft/min${gForce === undefined ? '' : `, ${gForce} g`}`,
    isPaused ? 'paused' : '',
    flight.isConnected ? '' : 'simulator disconnected',
    speed === 1 ? '' : `${speed}x`,
    flight.seed === undefined && flight.notices.length > 0 ? `noticed ${flight.notices.join(', ')}` : '',
  ];
  return `${escapeControls(head)}\n  ${escapeControls(position.filter(text => text !== '').join(' · '))}\n`;
}

function describeFigure(figure: number | undefined, unit: string): string {
  return figure === undefined ? '' : `${formatCount(Math.round(figure))} ${unit}`;
}
