import {watch} from 'node:fs';
import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openFlightOnClock} from '../../../test/support/flight-clock.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import type {FlightFrame} from '../../core/domain/plugins/flight.ts';
import {openFlightFile} from './flight-file.ts';

const CRUISING = {latitude: 50, longitude: 8, altitudeFeet: 9000, groundSpeedKnots: 120, onGround: false};

/** Reports frames for some seconds, ten of them a second. */
function openReported(first: Partial<FlightFrame> = {}) {
  const clocked = openFlightOnClock();
  let timeSeconds = 100;
  const {reporterId} = clocked.flight.report({...CRUISING, ...first, timeSeconds, simulator: 'Sim\u001b[2J<b>'});
  const fly = (seconds: number, figures: Partial<FlightFrame> = {}) => {
    for (let tenth = 0; tenth < seconds * 10; tenth++) {
      clocked.later(0.1);
      timeSeconds += 0.1;
      clocked.flight.report({...CRUISING, ...figures, timeSeconds, reporterId});
    }
    return clocked.flight.status();
  };
  return {...clocked, reporterId, fly};
}

const refusal = (code: string, members: object = {}) =>
  expect.objectContaining({failure: expect.objectContaining({code, ...members})});
const badFrame = (path: string, problem = '') =>
  refusal('invalid-body', {what: 'frame', problems: [{path, problem: expect.stringContaining(problem)}]});

describe('a flight that a simulator reports', () => {
  test('has its figures, its simulator by a harmless name, and no plan; what is not reported is absent', () => {
    const {fly} = openReported();
    const status = fly(3);
    expect(status).toMatchObject({
      phase: 'CRUISE',
      altitudeFeet: 9000,
      isConnected: true,
      simulator: 'Sim [2J<b>',
      frames: 31,
    });
    expect(status?.elapsedSeconds).toBeCloseTo(3, 1);
    for (const name of ['from', 'number', 'gForce', 'clockSeconds', 'fuelPounds', 'touchdown', 'speed'])
      expect(Object(status)[name]).toBeUndefined();
  });

  test('gets its plan when a flight is started, and keeps its phase', () => {
    const {flight, fly} = openReported();
    expect(flight.start({from: 'EDDF', to: 'LPMA', number: 'CAV1', bidId: 7})).toMatchObject({
      phase: 'CRUISE',
      number: 'CAV1',
    });
    expect(fly(1)).toMatchObject({bidId: 7, to: {code: 'LPMA'}});
    expect(flight.status()?.toGoNauticalMiles).toBeGreaterThan(1000);
    for (const options of [{speed: 2}, {seed: 1}, {phase: 'CLIMB'}, {landingRateFeetPerMinute: 100}] as const)
      expect(() => flight.start(options)).toThrow(refusal('flight-reported', {simulator: 'Sim [2J<b>'}));
    expect(() => flight.change({isPaused: true})).toThrow(refusal('flight-reported'));
  });

  test('refuses another reporter by the name of the one that reports, until that one ends', () => {
    const {flight, later, reporterId} = openReported();
    later(9);
    for (const id of [undefined, 'other'])
      expect(() => flight.report({timeSeconds: 1, reporterId: id})).toThrow(
        refusal('flight-reported', {simulator: 'Sim [2J<b>'}),
      );
    expect(later(2)).toMatchObject({isConnected: false, phase: 'CRUISE'});
    expect(() => flight.report({timeSeconds: 200, reporterId})).toThrow(refusal('no-reporter'));
    expect(flight.report({timeSeconds: 1, onGround: true}).reporterId).toMatch(/^[0-9a-f]{32}$/);
  });

  test('is refused while a flight is simulated, until that has arrived', () => {
    const {flight} = openFlightOnClock();
    flight.start();
    expect(() => flight.report({timeSeconds: 1})).toThrow(refusal('flight-reported', {simulator: 'Crewroom'}));
    flight.change({phase: 'ARRIVED'});
    expect(flight.report({timeSeconds: 1, onGround: true})).toMatchObject({phase: 'BOARDING'});
    expect(flight.status()?.number).toBeUndefined();
  });

  const wrong: readonly [string, object, string, string?][] = [
    ['no time', {timeSeconds: undefined}, '$.timeSeconds', 'is missing'],
    ['NaN', {latitude: Number.NaN}, '$.latitude'],
    ['an infinite height', {heightFeet: Number.POSITIVE_INFINITY}, '$.heightFeet'],
    ['a place that is not on the earth', {longitude: 181}, '$.longitude', 'from -180 to 180'],
    ['a text for a number', {groundSpeedKnots: '120'}, '$.groundSpeedKnots', 'a number'],
    ['a name that is not known', {speed: 1}, '$.speed', 'is not known here'],
    ['five engines', {enginesFiring: [true, true, true, true, true]}, '$.enginesFiring', 'more than 4'],
    ['a long name', {simulator: 'x'.repeat(101)}, '$.simulator', 'longer than 100'],
    ['a frame out of order', {timeSeconds: 99}, '$.timeSeconds', 'is before 100'],
    ['a frame from the future', {timeSeconds: 5000}, '$.timeSeconds', 'is in the future'],
  ];
  for (const [name, frame, path, problem] of wrong)
    test(`refuses ${name}, and stays as it is`, () => {
      const {flight, reporterId} = openReported();
      const before = flight.status();
      const sent = {...CRUISING, timeSeconds: 101, reporterId, ...frame} as FlightFrame;
      expect(() => flight.report(sent)).toThrow(badFrame(path, problem));
      expect(flight.status()).toEqual(before);
    });

  test('takes a frame that comes twice as one', () => {
    const {flight, reporterId} = openReported();
    const frame = {...CRUISING, timeSeconds: 101, latitude: 50.001, reporterId};
    flight.report(frame);
    const {frames: _, ...once} = flight.status() ?? {frames: 0};
    flight.report(frame);
    expect(flight.status()).toMatchObject(once);
  });

  test('takes 60 frames a second, and refuses more, good and bad ones', () => {
    const {flight, later, reporterId} = openReported();
    const report = (more: object = {}): unknown => flight.report({...CRUISING, timeSeconds: 100, reporterId, ...more});
    for (let count = 1; count < 40; count++) report();
    for (let count = 0; count < 20; count++)
      expect(() => report({latitude: Number.NaN})).toThrow(badFrame('$.latitude'));
    for (let count = 0; count < 9940; count++) expect(report).toThrow(refusal('too-many-frames', {max: 60}));
    later(1);
    report();
    expect(flight.status()?.frames).toBe(41);
  });

  test('tells its listeners when it begins, and when its frames have ended', () => {
    const {flight, later} = openFlightOnClock();
    const heard: unknown[] = [];
    flight.onChange(() => heard.push(flight.status()?.isConnected));
    flight.report({timeSeconds: 1});
    for (let second = 0; second < 12; second++) later(1);
    flight.stop();
    expect(heard).toEqual([true, false, undefined]);
  });

  test('goes on with its plan when its simulator comes back, and waits for it once restored', () => {
    const {flight, fly, later} = openReported();
    flight.start({number: 'CAV1', bidId: 7});
    fly(1);
    for (let second = 0; second < 12; second++) later(1);
    expect(flight.recoverable()).toMatchObject({number: 'CAV1', phase: 'CRUISE', latitude: 50});
    expect(flight.restore({bidId: 7})).toMatchObject({isConnected: false, phase: 'CRUISE', number: 'CAV1'});
    expect(flight.recoverable()).toBeUndefined();
    flight.report({...CRUISING, timeSeconds: 3});
    expect(flight.status()).toMatchObject({isConnected: true, number: 'CAV1', bidId: 7, phase: 'CRUISE', notices: []});
  });
});

/** Opens flights with the file of one directory, each as after a restart; what they still write ends before it is removed. */
async function useFile() {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const path = join(directory.path, 'flight.json');
  let atMs = 0;
  return {
    path,
    open: async () => {
      const file = await openFlightFile(directory.path, SILENT_LOG);
      onTestFinished(() => file.written());
      const clocked = openFlightOnClock(file, atMs);
      const pass = async (seconds: number) => {
        atMs += seconds * 1000;
        const status = clocked.later(seconds);
        await file.written();
        return status;
      };
      return {...clocked, pass};
    },
  };
}

describe('a flight that is kept', () => {
  test('can be restored after a restart, where it was, unless another is booked', async () => {
    const {open, path} = await useFile();
    const first = await open();
    first.flight.start({from: 'EGLL', to: 'KJFK', number: 'CAV9', bidId: 'b', seed: 3});
    first.flight.change({phase: 'CRUISE'});
    const left = await first.pass(600);
    expect(IS_WINDOWS ? 0o600 : (await stat(path)).mode & 0o777).toBe(0o600);

    const {flight, pass} = await open();
    expect([flight.status(), flight.recoverable()]).toEqual([undefined, {...left, frames: expect.any(Number)}]);
    const restored = flight.restore();
    const {latitude = 0, longitude = 0, ...rest} = left ?? {};
    expect([restored.latitude, restored.longitude]).toEqual([
      expect.closeTo(latitude, 3),
      expect.closeTo(longitude, 3),
    ]);
    expect(restored).toMatchObject({
      ...rest,
      frames: expect.any(Number),
      clockSeconds: expect.any(Number),
      notices: [],
    });
    expect(flight.recoverable()).toBeUndefined();
    await pass(1);
    const other = await open();
    expect(other.flight.restore({bidId: 'other', from: 'LPPT'})).toMatchObject({
      from: {code: 'LPPT'},
      phase: 'BOARDING',
    });
  });

  test('is forgotten by a stop, on arrival, and a day after its last frame', async () => {
    const {open, path} = await useFile();
    const stopped = await open();
    stopped.flight.start();
    await stopped.pass(2);
    await stopped.flight.stop();
    await expect(readFile(path)).rejects.toThrow('ENOENT');

    const arrived = await open();
    arrived.flight.start();
    await arrived.pass(2);
    arrived.flight.change({phase: 'ARRIVED'});
    await arrived.pass(2);
    await expect(readFile(path)).rejects.toThrow('ENOENT');

    const lost = await open();
    lost.flight.start();
    await lost.pass(2);
    const later = await open();
    await later.pass(86_390);
    expect(later.flight.recoverable()).toBeDefined();
    await later.pass(20);
    expect(later.flight.recoverable()).toBeUndefined();
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  test('leaves no half file of a service that was killed as it wrote', async () => {
    const {open, path} = await useFile();
    const {flight, pass} = await open();
    const named: string[] = [];
    const watcher = watch(dirname(path), (_, name) => named.push(String(name)));
    flight.start();
    await expect.poll(() => named.find(name => name.startsWith('flight.json.'))).toBeDefined();
    watcher.close();
    await pass(1);
    const [half = ''] = named.filter(name => name !== 'flight.json');
    await writeFile(join(dirname(path), half), '{');
    await open();
    expect(await readdir(dirname(path))).toEqual(['flight.json']);
  });

  test('opens beside what cannot be removed', async () => {
    const {open, path} = await useFile();
    await mkdir(join(`${path}.0000000000000000`, 'a'), {recursive: true});
    const {flight} = await open();
    expect(flight.recoverable()).toBeUndefined();
  });

  for (const text of ['{', '{}', '{"flight": {"phase": "X"}}', '[]'])
    test(`counts as missing if its file is ${text}`, async () => {
      const {open, path} = await useFile();
      await writeFile(path, text, {mode: 0o600});
      const {flight} = await open();
      expect(flight.recoverable()).toBeUndefined();
      expect(flight.restore()).toMatchObject({phase: 'BOARDING'});
    });
});
