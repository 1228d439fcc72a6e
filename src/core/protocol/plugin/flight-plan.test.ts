import {describe, expect, test} from 'vitest';
import {checkFlight, FLIGHT_CHANGE, FLIGHT_OPTIONS} from '../../documents/flight.ts';

const readFlightOptions = (sent: unknown) => checkFlight(FLIGHT_OPTIONS, sent);
const readFlightChange = (sent: unknown) => checkFlight(FLIGHT_CHANGE, sent);

describe('what is sent to start and to change a flight', () => {
  test('is read by its own names', () => {
    const options = {from: 'EDDF', to: 'LPMA', speed: 60, seed: 7, bidId: '1', phase: 'CRUISE'};
    expect([readFlightOptions({}), readFlightOptions(options)]).toEqual([{}, options]);
    const change = {isPaused: true, isConnected: false, speed: 4, phase: 'DESCENT'};
    expect([readFlightChange({}), readFlightChange(change)]).toEqual([{}, change]);
  });

  const wrong: readonly {
    readonly read: typeof readFlightOptions | typeof readFlightChange;
    readonly sent: unknown;
    readonly path: string;
  }[] = [
    {read: readFlightOptions, sent: undefined, path: '$'},
    {read: readFlightOptions, sent: {from: 1}, path: '$.from'},
    {read: readFlightOptions, sent: {speed: '60'}, path: '$.speed'},
    {read: readFlightOptions, sent: {toString: 'x'}, path: '$.toString'},
    {read: readFlightOptions, sent: {isPaused: true}, path: '$.isPaused'},
    {read: readFlightChange, sent: [], path: '$'},
    {read: readFlightChange, sent: {action: 'pause'}, path: '$.action'},
    {read: readFlightChange, sent: {isPaused: 'yes'}, path: '$.isPaused'},
    {read: readFlightChange, sent: {isConnected: null}, path: '$.isConnected'},
    {read: readFlightChange, sent: {speed: '60'}, path: '$.speed'},
    {read: readFlightChange, sent: {phase: 'cruise'}, path: '$.phase'},
  ];
  for (const {read, sent, path} of wrong)
    test(`is refused: ${JSON.stringify(sent)} by ${read.name}()`, () => {
      const failure = {code: 'invalid-body', what: 'flight', problems: [{path, problem: expect.any(String)}]};
      expect(() => read(sent)).toThrow(expect.objectContaining({failure}));
    });
});
