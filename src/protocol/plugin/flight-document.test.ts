import {describe, expect, test} from 'vitest';
import type {FlightStatus} from '../../domain/plugins/flight.ts';
import {type FlightCommand, formatFlight, readFlight, readFlightCommand} from './flight-document.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a change of the flight', () => {
  const commands: readonly FlightCommand[] = [
    {action: 'start'},
    {action: 'start', from: 'EDDF', to: 'LPMA', speed: 60, seed: 7, bidId: '1'},
    {action: 'jump', phase: 'CRUISE'},
    {action: 'speed', speed: 60},
    {action: 'pause'},
    {action: 'disconnect'},
  ];
  for (const command of commands) {
    test(`is read as it was written: ${JSON.stringify(command)}`, () => {
      expect(readFlightCommand(bytes(JSON.stringify(command)))).toEqual(command);
    });
  }

  const wrong = [
    {body: '', path: '$'},
    {body: '[]', path: '$'},
    {body: '{}', path: '$.action'},
    {body: '{"action": "fly"}', path: '$.action'},
    {body: '{"action": "speed"}', path: '$.speed'},
    {body: '{"action": "jump"}', path: '$.phase'},
    {body: '{"action": "jump", "phase": "cruise"}', path: '$.phase'},
    {body: '{"action": "start", "from": 1}', path: '$.from'},
    {body: '{"action": "start", "speed": "60"}', path: '$.speed'},
    {body: '{"action": "start", "toString": "x"}', path: '$.toString'},
  ];
  for (const {body, path} of wrong) {
    test(`is refused: ${body}`, () => {
      expect(readFlightCommand(bytes(body))).toMatchObject({path, problem: expect.any(String)});
    });
  }
});

test('a flight is read as it was written, and that there is none', () => {
  const airport = {code: 'EDDF', name: 'Frankfurt', latitude: 50, longitude: 8.5};
  const flight: FlightStatus = {
    ...{phase: 'CRUISE', latitude: 1, longitude: 2, headingDegrees: 3, altitudeFeet: 4, groundSpeedKnots: 5},
    ...{verticalSpeedFeetPerMinute: 6, flownNauticalMiles: 7, toGoNauticalMiles: 8, from: airport, to: airport},
    ...{number: '1042', bidId: '1', speed: 60, seed: 1, isPaused: false, isConnected: true},
    ...{elapsedSeconds: 9, cruiseFeet: 10},
  };
  expect(readFlight(formatFlight(flight))).toEqual(flight);
  expect(readFlight(formatFlight(undefined))).toBeUndefined();
  expect(() => readFlight('{"flight": {}}')).toThrow();
});
