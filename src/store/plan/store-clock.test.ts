import {describe, expect, test} from 'vitest';
import {StoreClock} from './store-clock.ts';

/** A clock of the machine that is set, beside one that never jumps. */
function make(knownMs?: number) {
  const time = {machineMs: 1000, passedMs: 50};
  const deps = {nowMs: () => time.machineMs, elapsedMs: () => time.passedMs};
  const pass = (ms: number): void => {
    time.machineMs += ms;
    time.passedMs += ms;
  };
  return {time, pass, clock: knownMs === undefined ? new StoreClock(deps) : new StoreClock(deps, knownMs)};
}

describe('StoreClock', () => {
  test('follows the clock of the machine, in whole milliseconds', () => {
    const {clock, pass, time} = make();
    expect(clock.now()).toBe(1000);
    pass(10.75);
    expect(clock.now()).toBe(1010);
    time.machineMs = 5000;
    expect(clock.now()).toBe(5000);
  });

  test('goes on from its highest time when that of the machine is set back', () => {
    const {clock, pass, time} = make();
    pass(100);
    expect(clock.now()).toBe(1100);
    time.machineMs = 10;
    expect(clock.now()).toBe(1100);
    pass(40);
    expect(clock.now()).toBe(1140);
    pass(60);
    expect(clock.now()).toBe(1200);
  });

  test('begins with a time that was known before, if it is higher', () => {
    const later = make(3000);
    later.pass(5);
    expect([later.clock.now(), make(500).clock.now()]).toEqual([3005, 1000]);
  });

  test('is raised to a time that another process knew, and never lowered', () => {
    const {clock, pass} = make();
    pass(20);
    clock.raise(4000);
    expect(clock.now()).toBe(4000);
    pass(30);
    clock.raise(4030);
    clock.raise(2000);
    expect(clock.now()).toBe(4030);
  });

  test('loses no part of a millisecond to a time that it knew', () => {
    const {clock, pass, time} = make();
    time.machineMs = 10;
    pass(10.75);
    clock.raise(1010);
    pass(0.5);
    expect(clock.now()).toBe(1011);
  });

  test('reads the clock of the process that never jumps if none is given', () => {
    const clock = new StoreClock({nowMs: () => 0}, 1000);
    const before = performance.now();
    const first = clock.now();
    while (performance.now() < before + 3);
    expect(clock.now()).toBeGreaterThan(first);
  });
});
