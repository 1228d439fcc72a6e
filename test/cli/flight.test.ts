import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, describe, test} from 'vitest';
import {formatFeet, formatKnots, formatMiles} from '../../console/src/flight/flight-figures.ts';
import {findFreePort} from '../support/free-port.ts';
import {useService} from '../support/service.ts';
import {createMachine, type Finished, plain} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});

const words = (args: readonly string[]): readonly string[] => ['flight', ...args, '--port', String(service().port)];
const run = (...args: readonly string[]): Promise<Finished> => machine.run(words(args));
const readFlight = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse((await run(...args, '--json')).stdout);

afterEach(async () => {
  await run('stop');
});

describe('crewroom flight', () => {
  test('starts a flight with what is given, and shows it', async () => {
    const flight = await readFlight('start', '--from', 'EGLL', '--to', 'KJFK', '--speed', '60', '--seed', '7');
    const {from, to, speed, seed, phase} = flight;
    assert.deepEqual([Object(from).code, Object(to).code, speed, seed, phase], ['EGLL', 'KJFK', 60, 7, 'BOARDING']);
    const {number} = await readFlight('status');
    assert.equal(number, flight['number']);
    const {exitCode, stdout} = await run('status');
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^Flight \d+ from EGLL \(.*\) to KJFK \(.*\)\n {2}BOARDING · \d+ ft · 0 kt · [23],\d{3} NM to go · 60x\n$/,
    );
  });

  test('starts the flight that a pilot booked, from a file as pages send it; flags override it', async () => {
    const file = join(machine.home, 'booking.json');
    const departure = {code: 'ZZAA', name: 'An airfield', latitude: '10.5', longitude: 20};
    await writeFile(file, JSON.stringify({number: 'CAV1', departure, arrival: 'KJFK', cruise: 350, bidId: 7, x: {}}));
    const flight = await readFlight(
      'start',
      '--plan',
      file,
      '--number',
      'CAV100',
      '--to',
      'EGLL',
      '--aircraft',
      'A320',
    );
    const {from, to, number, aircraft, cruiseFeet, bidId} = flight;
    assert.deepEqual(from, {code: 'ZZAA', name: 'An airfield', latitude: 10.5, longitude: 20});
    assert.deepEqual(
      [Object(to).code, number, Object(aircraft).code, cruiseFeet, bidId],
      ['EGLL', 'CAV100', 'A320', 35_000, '7'],
    );
    assert.match(
      (await run('status')).stdout,
      /^Flight CAV100 from ZZAA \(An airfield\) to EGLL \(London Heathrow\), A320\n/,
    );
    for (const [content, code] of [
      ['{"cruise": -1}', 'invalid-body'],
      ['{', 'invalid-json'],
    ] as const) {
      await writeFile(file, content);
      const {stderr} = await run('start', '--plan', file, '--json');
      assert.equal(JSON.parse(stderr).code, code);
    }
    assert.equal(JSON.parse((await run('start', '--plan', `${file}x`, '--json')).stderr).code, 'unreadable-input');
  });

  test('writes its figures as the console does, and as numbers with --json', async () => {
    await run('start');
    await run('pause');
    const flight = await readFlight('jump', 'cruise');
    const {altitudeFeet, groundSpeedKnots, toGoNauticalMiles} = flight;
    assert.equal(altitudeFeet, 37_000);
    const figures = [formatFeet(37_000), formatKnots(Number(groundSpeedKnots)), formatMiles(Number(toGoNauticalMiles))];
    assert.equal(figures[0], '37,000 ft');
    const [, position] = (await run('status')).stdout.split('\n');
    assert.equal(position, `  CRUISE · ${figures.join(' · ')} to go · paused`);
  });

  test('shows one that a simulator reports, with what was noticed', async () => {
    const {flight} = service().crewroom;
    const place = {latitude: 50, longitude: 8, heightFeet: 9000, groundSpeedKnots: 250};
    const {reporterId} = flight.report({...place, timeSeconds: 1, simulator: 'Sim\u001b[2J'});
    flight.report({...place, timeSeconds: 2, reporterId, latitude: 53, simulationRate: 2});
    const {stdout} = await run('status');
    assert.equal(stdout, 'Flight without a plan, Sim [2J\n  CRUISE · 250 kt · noticed teleport, acceleration\n');
  });

  test('begins in Frankfurt, in real time', async () => {
    const {from, to, speed} = await readFlight('start');
    assert.deepEqual([Object(from).code, Object(to).code, speed], ['EDDF', 'LPMA', 1]);
  });

  test('changes its speed', async () => {
    await run('start');
    assert.deepEqual([(await readFlight('speed', '60'))['speed'], (await readFlight('status'))['speed']], [60, 60]);
  });

  test('jumps to a phase, in any case', async () => {
    await run('start');
    const {phase} = await readFlight('jump', 'cruise');
    assert.equal(phase, 'CRUISE');
  });

  test('pauses and goes on, disconnects and connects', async () => {
    await run('start');
    const states: unknown[] = [];
    for (const action of ['pause', 'pause', 'disconnect', 'continue', 'connect', 'connect']) {
      const {isPaused, isConnected} = await readFlight(action);
      states.push([isPaused, isConnected]);
    }
    assert.deepEqual(states, [
      [true, true],
      [true, true],
      [true, false],
      [false, false],
      [false, true],
      [false, true],
    ]);
    await run('pause');
    await run('disconnect');
    assert.match((await run('status')).stdout, / · paused · simulator disconnected\n$/);
  });

  test('stops', async () => {
    await run('start');
    assert.deepEqual(await readFlight('stop'), {stoppedFlight: true});
    await run('start');
    const {exitCode, stdout} = await machine.runOnTerminal(words(['stop']));
    assert.deepEqual([exitCode, plain(stdout)], [0, 'Stopped the flight\n']);
    assert.equal(service().crewroom.plugins.list().length, 0);
  });

  for (const args of [['status'], ['pause'], ['connect'], ['jump', 'CRUISE']])
    test(`${args[0]} needs a flight`, async () => {
      const {exitCode, stdout, stderr} = await run(...args, '--json');
      assert.deepEqual([exitCode, stdout, JSON.parse(stderr).code], [3, '', 'no-flight']);
    });

  const wrong = [
    {args: ['start', '--from', 'XXXX'], code: 'invalid-body', problem: /\$\.from/},
    {args: ['start', '--speed', '5000'], code: 'invalid-body', problem: /\$\.speed/},
    {args: ['start', '--speed', 'fast'], code: 'invalid-usage', problem: /--speed has to be a number, not "fast"/},
    {args: ['start', '--seed', '-1'], code: 'invalid-usage', problem: /--seed/},
    {args: ['start', 'CRUISE'], code: 'invalid-usage', problem: /start takes no PHASE\|SPEED/},
    {args: ['speed'], code: 'invalid-usage', problem: /speed needs a PHASE\|SPEED/},
    {args: ['jump'], code: 'invalid-usage', problem: /jump needs a PHASE\|SPEED/},
    {args: ['jump', 'SLEEP'], code: 'invalid-usage', problem: /./},
    {
      args: ['pause', '--speed', '2'],
      code: 'invalid-usage',
      problem: /pause takes no --speed/,
    },
    {args: ['fly'], code: 'invalid-usage', problem: /fly/},
  ];
  for (const {args, code, problem} of wrong)
    test(`refuses ${args.join(' ')}`, async () => {
      const {exitCode, stderr} = await run(...args, '--json');
      const failure = JSON.parse(stderr);
      assert.deepEqual([exitCode, failure.code], [2, code]);
      assert.match(failure.detail, problem);
    });

  for (const action of ['start', 'status', 'stop'])
    test(`${action} needs a service`, async () => {
      const finished = await machine.run(['flight', action, '--port', String(await findFreePort()), '--json']);
      assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [5, 'service-unreachable']);
    });
});
