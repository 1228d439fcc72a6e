import {describe, expect, test} from 'vitest';
import {openFlightOnClock as open} from '../../../test/support/flight-clock.ts';
import {FLIGHT_PHASES} from '../../core/domain/plugins/flight.ts';

describe('the simulated flight', () => {
  test('is absent before it is started, and after it was stopped', () => {
    const {flight} = open();
    expect(flight.status()).toBeUndefined();
    flight.start();
    flight.stop();
    flight.stop();
    expect(flight.status()).toBeUndefined();
    expect(() => flight.change({isPaused: true})).toThrow(expect.objectContaining({failure: {code: 'no-flight'}}));
  });

  test('moves with the clock, at its speed', () => {
    const {flight, later} = open();
    expect(flight.start({speed: 60})).toMatchObject({phase: 'BOARDING', elapsedSeconds: 0});
    expect(later(2)).toMatchObject({elapsedSeconds: 120, phase: 'BOARDING'});
    expect(later(28)).toMatchObject({phase: 'CLIMB'});
    expect(later(3600)).toMatchObject({phase: 'ARRIVED', groundSpeedKnots: 0});
  });

  test('does not move while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    later(10);
    expect(flight.change({isPaused: true})).toMatchObject({isPaused: true, elapsedSeconds: 10});
    expect(later(100)).toMatchObject({elapsedSeconds: 10});
    // A change that is sent again changes nothing more.
    expect(flight.change({isPaused: true})).toMatchObject({isPaused: true, elapsedSeconds: 10});
    expect(flight.change({isPaused: false})).toMatchObject({isPaused: false});
    expect(later(5)).toMatchObject({elapsedSeconds: 15});
  });

  test('goes on from where it is at another speed, also while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    later(10);
    expect(flight.change({speed: 60})).toMatchObject({elapsedSeconds: 10, speed: 60});
    expect(later(1)).toMatchObject({elapsedSeconds: 70});
    flight.change({isPaused: true});
    expect(flight.change({speed: 1})).toMatchObject({elapsedSeconds: 70, isPaused: true, speed: 1});
    expect(() => flight.change({speed: 1001, isPaused: false})).toThrow(
      expect.objectContaining({failure: {code: 'invalid-body', what: 'flight', problems: [expect.anything()]}}),
    );
    expect(flight.status()).toMatchObject({isPaused: true, speed: 1});
  });

  test('tells its listeners when it is started and ended', () => {
    const {flight} = open();
    let calls = 0;
    const stop = flight.onChange(() => calls++);
    flight.stop();
    flight.start();
    flight.change({isPaused: true});
    flight.stop();
    stop();
    flight.start();
    expect(calls).toBe(2);
  });

  test('cruises as high as planned, or as the distance permits', () => {
    const {flight} = open();
    const cruise = (to: string, level: number) => flight.start({from: 'EGLL', to, level}).cruiseFeet ?? 0;
    expect([cruise('KJFK', 410), cruise('KJFK', 31_000), cruise('KJFK', 0), cruise('KJFK', 5)]).toEqual([
      41_000, 31_000, 37_000, 3083,
    ]);
    expect(cruise('EBBR', 410)).toBeLessThan(35_000);
  });

  test('jumps to phases, forwards and back, also while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    expect(flight.change({phase: 'DESCENT'})).toMatchObject({phase: 'DESCENT', isPaused: false});
    flight.change({isPaused: true});
    expect(flight.change({phase: 'TAXI'})).toMatchObject({phase: 'TAXI', isPaused: true});
    expect(later(1000)).toMatchObject({phase: 'TAXI'});
  });

  test('is the same for the same seed, and another for another', () => {
    const numbers = [1, 1, 2].map(seed => {
      const {flight, later} = open();
      flight.start({seed});
      return JSON.stringify(later(5000));
    });
    expect(numbers[0]).toBe(numbers[1]);
    expect(numbers[0]).not.toBe(numbers[2]);
  });

  const wrong = [
    {options: {from: 'XXXX'}, path: '$.from'},
    {options: {speed: 0}, path: '$.speed'},
    {options: {speed: 1001}, path: '$.speed'},
    {options: {speed: Number.NaN}, path: '$.speed'},
    {options: {seed: -1}, path: '$.seed'},
    {options: {seed: 1.5}, path: '$.seed'},
    {options: {landingRateFeetPerMinute: 19}, path: '$.landingRateFeetPerMinute'},
    {options: {landingRateFeetPerMinute: 2001}, path: '$.landingRateFeetPerMinute'},
    {options: {level: -1}, path: '$.level'},
  ];
  for (const {options, path} of wrong) {
    test(`refuses ${JSON.stringify(options)}, and keeps the flight before`, () => {
      const {flight} = open();
      flight.start({from: 'EGLL'});
      const failure = {code: 'invalid-body', what: 'flight', problems: [expect.objectContaining({path})]};
      expect(() => flight.start(options)).toThrow(expect.objectContaining({failure}));
      expect(flight.status()?.from?.code).toBe('EGLL');
    });
  }

  test('accepts codes in lower case', () => {
    expect(open().flight.start({from: 'egll', to: 'kjfk'})).toMatchObject({from: {code: 'EGLL'}, to: {code: 'KJFK'}});
  });

  for (const [given, landed] of [
    [undefined, {min: -420, max: -90}],
    [250, {min: -250, max: -250}],
  ] as const)
    test(`lands at ${given ?? 'a drawn rate'}, and has no landing before`, () => {
      const {flight, later} = open();
      flight.start({speed: 60, landingRateFeetPerMinute: given});
      flight.change({phase: 'APPROACH'});
      expect(flight.status()?.touchdown).toBeUndefined();
      let touchdown = later(1)?.touchdown;
      for (let second = 0; second < 30 && touchdown === undefined; second++) touchdown = later(1)?.touchdown;
      const {verticalSpeedFeetPerMinute: rate = 0, initialVerticalSpeedFeetPerMinute: first, gForce} = touchdown ?? {};
      expect(rate).toBeGreaterThanOrEqual(landed.min);
      expect(rate).toBeLessThanOrEqual(landed.max);
      expect(first).toBe(rate);
      expect(gForce).toBeGreaterThan(1.1);
      expect(later(60)).toMatchObject({phase: 'ARRIVED', touchdown, onGround: true, enginesFiring: [false, false]});
    });

  test('has its own clock, which moves at its speed', () => {
    const {flight, later} = open();
    const {clockSeconds = 0} = flight.start({speed: 60});
    expect(clockSeconds).toBe(12 * 3600);
    expect(later(4)?.clockSeconds).toBe(12 * 3600 + 240);
  });

  for (const speed of [1, 60, 1000])
    test(`has each phase for at least two looks of a second at ${speed} times the speed`, () => {
      const {flight, later} = open();
      flight.start({speed, from: 'EDDF', to: 'EDDM'});
      const seen: string[] = [];
      while (seen.at(-1) !== 'ARRIVED') seen.push(String(later(1)?.phase));
      expect([...new Set(seen)]).toEqual(FLIGHT_PHASES);
      const looks = FLIGHT_PHASES.slice(0, -1).map(phase => seen.filter(each => each === phase).length);
      expect(Math.min(...looks)).toBeGreaterThanOrEqual(2);
    });
});
