import {describe, expect, test} from 'vitest';
import {openFlight} from './simulated-flight.ts';

function open() {
  const clock = {elapsedMs: 1000};
  const flight = openFlight({elapsedMs: () => clock.elapsedMs});
  return {
    flight,
    later: (seconds: number) => {
      clock.elapsedMs += seconds * 1000;
      return flight.status();
    },
  };
}

describe('the simulated flight', () => {
  test('is absent before it is started, and after it was stopped', () => {
    const {flight} = open();
    expect(flight.status()).toBeUndefined();
    flight.start();
    flight.stop();
    flight.stop();
    expect(flight.status()).toBeUndefined();
    for (const act of [() => flight.pause(), () => flight.jump('CRUISE'), () => flight.disconnect()])
      expect(act).toThrow(expect.objectContaining({failure: {code: 'no-flight'}}));
  });

  test('moves with the clock, at its speed', () => {
    const {flight, later} = open();
    expect(flight.start({speed: 60})).toMatchObject({phase: 'BOARDING', elapsedSeconds: 0});
    expect(later(30)).toMatchObject({elapsedSeconds: 1800, phase: 'CLIMB'});
    expect(later(3600)).toMatchObject({phase: 'ARRIVED', groundSpeedKnots: 0});
  });

  test('does not move while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    later(10);
    expect(flight.pause()).toMatchObject({isPaused: true, elapsedSeconds: 10});
    expect(later(100)).toMatchObject({elapsedSeconds: 10});
    expect(flight.pause()).toMatchObject({isPaused: false});
    expect(later(5)).toMatchObject({elapsedSeconds: 15});
  });

  test('goes on from where it is at another speed, also while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    later(10);
    expect(flight.changeSpeed(60)).toMatchObject({elapsedSeconds: 10, speed: 60});
    expect(later(1)).toMatchObject({elapsedSeconds: 70});
    flight.pause();
    expect(flight.changeSpeed(1)).toMatchObject({elapsedSeconds: 70, isPaused: true, speed: 1});
    expect(() => flight.changeSpeed(1001)).toThrow(
      expect.objectContaining({failure: {code: 'invalid-flight', problems: [expect.anything()]}}),
    );
  });

  test('tells its listeners when it is started and ended', () => {
    const {flight} = open();
    let calls = 0;
    const stop = flight.onChange(() => calls++);
    flight.stop();
    flight.start();
    flight.pause();
    flight.stop();
    stop();
    flight.start();
    expect(calls).toBe(2);
  });

  test('cruises as high as planned, or as the distance permits', () => {
    const {flight} = open();
    const cruise = (to: string, level: number) => flight.start({from: 'EGLL', to, level}).cruiseFeet;
    expect([cruise('KJFK', 410), cruise('KJFK', 31_000), cruise('KJFK', 0), cruise('KJFK', 5)]).toEqual([
      41_000, 31_000, 37_000, 3000,
    ]);
    expect(cruise('EBBR', 410)).toBeLessThan(35_000);
  });

  test('jumps to phases, forwards and back, also while it is paused', () => {
    const {flight, later} = open();
    flight.start();
    expect(flight.jump('DESCENT')).toMatchObject({phase: 'DESCENT', isPaused: false});
    flight.pause();
    expect(flight.jump('TAXI')).toMatchObject({phase: 'TAXI', isPaused: true});
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
  ];
  for (const {options, path} of wrong) {
    test(`refuses ${JSON.stringify(options)}, and keeps the flight before`, () => {
      const {flight} = open();
      flight.start({from: 'EGLL'});
      const failure = {code: 'invalid-flight', problems: [expect.objectContaining({path})]};
      expect(() => flight.start(options)).toThrow(expect.objectContaining({failure}));
      expect(flight.status()?.from.code).toBe('EGLL');
    });
  }

  test('accepts codes in lower case', () => {
    expect(open().flight.start({from: 'egll', to: 'kjfk'})).toMatchObject({from: {code: 'EGLL'}, to: {code: 'KJFK'}});
  });
});
