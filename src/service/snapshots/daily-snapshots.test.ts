import {spawnSync} from 'node:child_process';
import {chmod, mkdir, readdir, readFile, stat, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {shownMode} from '../../../test/support/platform.ts';
import {makeTemporaryDirectory, openTestService} from '../../../test/support/service.ts';
import {SteppedClock} from '../../../test/support/stepped-clock.ts';
import type {Service, ServiceParts} from '../../app/crewroom.ts';
import type {Transfer} from '../../core/domain/commits/transfer.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import type {Config} from '../../platform/config/config.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {AUTOMATIC_SNAPSHOTS_MAX, saveAutomatic} from './automatic-snapshots.ts';
import {DAILY_BYTES_MAX, saveEachDay} from './daily-snapshots.ts';
import {listSnapshots} from './snapshot-directory.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Time without a change after which a store counts as idle, in milliseconds. */
const IDLE_MS = 5 * MINUTE_MS;
const START_MS = Date.UTC(2026, 0, 2);

/** A machine whose clock a test moves, with a data directory on its disk and the log of its services. */
class Machine {
  readonly clock = new SteppedClock();
  readonly lines: string[] = [];
  readonly dataDir: string;
  /** Time of the next look at the snapshots, by the clock; infinite while a look goes on, and without a service that looks. */
  nextLookMs = Infinity;
  #looked = (): void => {};

  constructor(directory: string) {
    this.dataDir = join(directory, 'data');
  }

  readonly nowMs = (): number => START_MS + this.clock.elapsedMs();

  get snapshotsDir(): string {
    return `${this.dataDir}-snapshots`;
  }

  readonly parts = {
    nowMs: this.nowMs,
    elapsedMs: this.clock.elapsedMs,
    timers: {
      after: (delayMs: number, run: () => void): (() => void) => {
        // No other timer of a service that does not listen has one of these delays.
        if (delayMs === IDLE_MS || delayMs === DAY_MS) {
          this.nextLookMs = this.clock.elapsedMs() + delayMs;
          this.#looked();
        }
        return this.clock.timers.after(delayMs, run);
      },
    },
    log: {
      ...SILENT_LOG,
      info: (message: string) => void this.lines.push(message),
      error: (message: string, about?: object) => void this.lines.push(`${message}: ${JSON.stringify(about)}`),
    },
  } satisfies Partial<ServiceParts>;

  async open(options: Partial<Config> = {}, parts: Partial<ServiceParts> = {}): Promise<Service> {
    const service = await openTestService({dataDir: this.dataDir, ...options}, {...this.parts, ...parts});
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service;
  }

  /** Moves the clock, and waits for the look that is due then. */
  async pass(ms: number): Promise<void> {
    const looked = new Promise<void>(resolve => {
      this.#looked = resolve;
    });
    const isDue = this.clock.elapsedMs() + ms >= this.nextLookMs;
    this.clock.step(ms);
    if (isDue) await looked;
  }

  /** Moves the clock to the next idle moment after a time. */
  async passToIdle(ms = IDLE_MS): Promise<void> {
    await this.pass(ms);
    await this.pass(IDLE_MS);
  }

  /** The days of January 2026 of which there are daily snapshots, with the hour. */
  async days(): Promise<readonly string[]> {
    return (await this.names()).flatMap(name => /^daily-\d{6}(\d{2}t\d{2})\d{7}z$/.exec(name)?.[1] ?? []);
  }

  async names(): Promise<readonly string[]> {
    return (await listSnapshots(this.snapshotsDir)).map(({name}) => name);
  }

  /** All files, also hidden ones. */
  async files(): Promise<readonly string[]> {
    return readdir(this.snapshotsDir).catch(() => []);
  }

  /** Writes a file as another run, or another program, left it. */
  async leave(file: string, sizeBytes = 0): Promise<void> {
    await mkdir(this.snapshotsDir, {recursive: true, mode: 0o700});
    await writeFile(join(this.snapshotsDir, file), '', {mode: 0o600});
    await truncate(join(this.snapshotsDir, file), sizeBytes);
  }
}

async function startMachine(): Promise<Machine> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return new Machine(directory.path);
}

async function put({entries}: Service, value: string): Promise<void> {
  await entries.put('a', Buffer.from(value));
}

describe('a daily snapshot', () => {
  test('has all entries byte for byte, is listed, and only its owner may read it', async () => {
    const machine = await startMachine();
    const service = await machine.open();
    await put(service, '1.0');
    await machine.passToIdle();
    const [saved, ...others] = await listSnapshots(machine.snapshotsDir);
    expect([saved?.name, saved?.entries, others]).toEqual(['daily-20260102t001000000z', 1, []]);
    expect(machine.lines).toEqual(['a daily snapshot was made']);
    const path = join(machine.snapshotsDir, `${saved?.name}.ndjson`);
    expect((await stat(path)).mode & 0o777).toBe(shownMode(0o600));
    let exported = '';
    for await (const chunk of await service.transfer.export()) exported += Buffer.from(chunk).toString();
    expect(await readFile(path, 'utf8')).toBe(exported);
  });

  test('is made each day on which something changed', async () => {
    const machine = await startMachine();
    const service = await machine.open();
    await machine.passToIdle(DAY_MS);
    expect(await machine.files()).toEqual([]);
    await put(service, '1');
    await machine.passToIdle();
    await machine.passToIdle(2 * DAY_MS);
    expect(await machine.days()).toEqual(['03t00']);
    await put(service, '2');
    await machine.passToIdle();
    await put(service, '3');
    await machine.passToIdle();
    expect(await machine.days()).toEqual(['03t00', '05t00']);
  });

  test('comes a day after the last one, not after the start of the service', async () => {
    const machine = await startMachine();
    const first = await machine.open();
    await put(first, '1');
    await machine.passToIdle();
    await first[Symbol.asyncDispose]();
    machine.nextLookMs = Infinity;
    await machine.pass(23 * HOUR_MS);
    const second = await machine.open();
    await put(second, '2');
    await machine.passToIdle();
    expect(await machine.days()).toEqual(['02t00']);
    await machine.passToIdle(HOUR_MS);
    expect(await machine.days()).toEqual(['02t00', '03t00']);
  });

  test('waits for an idle moment, but not longer than an hour', async () => {
    const machine = await startMachine();
    const service = await machine.open();
    for (let times = 1; times < 12; times++) {
      await put(service, String(times));
      await machine.pass(IDLE_MS);
    }
    expect(await machine.days()).toEqual([]);
    await put(service, '12');
    await machine.pass(IDLE_MS);
    expect(await machine.days()).toEqual(['02t01']);
  });

  test('is made although the clock was wrong once', async () => {
    const machine = await startMachine();
    await machine.leave('daily-20990101t000000000z.ndjson');
    const service = await machine.open();
    await put(service, '1');
    await machine.passToIdle();
    await put(service, '2');
    await machine.passToIdle();
    expect(await machine.names()).toEqual(['daily-20260102t001000000z', 'daily-20990101t000000000z']);
  });
});

test('daily snapshots of a clock that was ahead for weeks push out no new one, and stay until their time has passed', async () => {
  const machine = await startMachine();
  const ahead = Array.from({length: 8}, (_, day) => `daily-202601${20 + day}t000000000z`);
  for (const name of ahead) await machine.leave(`${name}.ndjson`, DAILY_BYTES_MAX);
  const service = await machine.open();
  for (let day = 2; day < 4; day++) {
    await put(service, String(day));
    for (let times = 0; times < 5; times++) await machine.passToIdle();
    await machine.pass(DAY_MS - 10 * IDLE_MS);
  }
  const made = ['daily-20260102t001000000z', 'daily-20260103t001000000z'];
  expect(await machine.names()).toEqual([...made, ...ahead]);
  expect(machine.lines).toHaveLength(made.length);
  await machine.pass(30 * DAY_MS);
  expect(await machine.names()).toEqual([...ahead.slice(-1), 'daily-20260203t000000000z']);
});

describe('daily snapshots stay', () => {
  /** Changes an entry on each of some days. */
  async function change(machine: Machine, service: Service, days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      await put(service, String(machine.nowMs()));
      await machine.passToIdle();
      await machine.pass(DAY_MS - 2 * IDLE_MS);
    }
  }

  test('for seven days, or as long as it is set', async () => {
    const machine = await startMachine();
    const week = await machine.open();
    await change(machine, week, 10);
    expect(await machine.days()).toEqual(['05t00', '06t00', '07t00', '08t00', '09t00', '10t00', '11t00']);
    await week[Symbol.asyncDispose]();
    const three = await machine.open({dailySnapshots: 3});
    await change(machine, three, 1);
    expect(await machine.days()).toEqual(['10t00', '11t00', '12t00']);
  });

  test('also when nothing changed for weeks before a mistake', async () => {
    const machine = await startMachine();
    const service = await machine.open();
    await change(machine, service, 1);
    await machine.pass(20 * DAY_MS);
    await service.entries.delete('a');
    await machine.passToIdle();
    await machine.pass(5 * DAY_MS);
    expect(await machine.days()).toEqual(['02t00', '23t00']);
    await machine.pass(DAY_MS);
    expect(await machine.days()).toEqual(['23t00']);
  });

  test('up to their size together; the newest one whatever its size', async () => {
    const machine = await startMachine();
    const sizes = [1, DAILY_BYTES_MAX / 2, DAILY_BYTES_MAX / 2, DAILY_BYTES_MAX * 2];
    for (const [index, size] of sizes.entries()) {
      await machine.leave(`daily-2026010${index + 1}t000000000z.ndjson`, index === 3 ? 0 : size);
    }
    machine.clock.step(2.5 * DAY_MS);
    await machine.open();
    await machine.pass(IDLE_MS);
    expect(await machine.days()).toEqual(['02t00', '03t00', '04t00']);
    await machine.leave('daily-20260104t000000000z.ndjson', DAILY_BYTES_MAX * 2);
    await machine.pass(IDLE_MS);
    expect(await machine.days()).toEqual(['04t00']);
  });

  test('whatever is saved before changes, and push out none of those', async () => {
    const machine = await startMachine();
    const service = await machine.open();
    const {snapshotsDir: directory, nowMs} = machine;
    const place = {directory, userId: process.getuid?.(), nowMs, randomName: () => 'aa'};
    const counts = (names: readonly string[]): readonly number[] =>
      ['before', 'daily'].map(kind => names.filter(name => name.startsWith(kind)).length);
    await change(machine, service, 3);
    for (let times = 0; times < AUTOMATIC_SNAPSHOTS_MAX + 1; times++) {
      await machine.pass(1000);
      await saveAutomatic('before-import', await service.transfer.export(), place);
    }
    expect(counts(await machine.names())).toEqual([AUTOMATIC_SNAPSHOTS_MAX, 3]);
    await change(machine, service, 8);
    expect(counts(await machine.names())).toEqual([AUTOMATIC_SNAPSHOTS_MAX, 7]);
  });

  test('and none is made, or removed, with 0 days', async () => {
    const machine = await startMachine();
    await machine.leave('daily-20250101t000000000z.ndjson');
    const service = await machine.open({dailySnapshots: 0});
    await put(service, '1');
    await machine.passToIdle(DAY_MS);
    expect([machine.nextLookMs, await machine.files()]).toEqual([Infinity, ['daily-20250101t000000000z.ndjson']]);
  });
});

const elsewhere: readonly {name: string; options: Partial<Config>}[] = [
  {name: 'in memory', options: {ephemeral: true}},
  {name: 'that several machines share', options: {store: 'etcd://127.0.0.1:2379/crewroom'}},
];
for (const {name, options} of elsewhere)
  test(`a store ${name} has no daily snapshots`, async () => {
    const machine = await startMachine();
    const store = openMemoryStore({...machine.parts, randomBytes: size => Buffer.alloc(size, 1)});
    const service = await machine.open(options, {openStore: async () => store});
    await put(service, '1');
    await machine.passToIdle(DAY_MS);
    expect([machine.nextLookMs, await machine.files()]).toEqual([Infinity, []]);
  });

describe('a daily snapshot that cannot be made', () => {
  const CAN_MOUNT =
    process.platform === 'linux' && spawnSync('mount', ['--help']).status === 0 && process.getuid?.() === 0;

  test.skipIf(!CAN_MOUNT)('is reported, and not tried again that day, if the disk is nearly full', async () => {
    const machine = await startMachine();
    await mkdir(machine.snapshotsDir, {mode: 0o700});
    const {status} = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      'size=255m,mode=0700',
      'crewroom-test',
      machine.snapshotsDir,
    ]);
    expect(status).toBe(0);
    onTestFinished(() => void spawnSync('umount', ['-l', machine.snapshotsDir]));
    const service = await machine.open();
    await put(service, '1');
    await machine.passToIdle();
    expect(machine.lines).toEqual([
      `no daily snapshot was made: ${JSON.stringify({problem: `Cannot save a snapshot in "${machine.snapshotsDir}": its disk is nearly full`})}`,
    ]);
    expect(await machine.files()).toEqual([]);
    spawnSync('mount', ['-o', 'remount,size=400m', machine.snapshotsDir]);
    await machine.pass(DAY_MS - 1);
    expect(await machine.files()).toEqual([]);
    await machine.pass(1);
    expect(await machine.days()).toEqual(['03t00']);
  });

  test.skipIf(process.platform === 'win32')('is reported if other users may write to the directory', async () => {
    const machine = await startMachine();
    await machine.leave('daily-20250101t000000000z.ndjson');
    await chmod(machine.snapshotsDir, 0o777);
    await put(await machine.open(), '1');
    await machine.passToIdle();
    expect(machine.lines).toEqual([
      expect.stringMatching(/^no daily snapshot was made: .*other users may write to it/),
    ]);
    expect(await machine.files()).toEqual(['daily-20250101t000000000z.ndjson']);
  });

  test('leaves no file if the service stops, or if it takes too long', async () => {
    const machine = await startMachine();
    await machine.leave('.before-load-20260101t000000000z.aa.new');
    const stops: readonly ((controller: AbortController) => void)[] = [
      controller => controller.abort(),
      () => machine.clock.step(11 * MINUTE_MS),
    ];
    for (const stop of stops) {
      const controller = new AbortController();
      const written: (readonly string[])[] = [];
      async function* exportSlowly() {
        yield Buffer.from('begun');
        written.push(await machine.files());
        stop(controller);
        yield Buffer.from('too late');
      }
      const transfer = {export: async () => exportSlowly()} as unknown as Transfer;
      const {parts, snapshotsDir: directory, nowMs} = machine;
      const place = {directory, userId: process.getuid?.(), nowMs, randomName: () => 'aa'};
      const {signal} = controller;
      const running = saveEachDay({...parts, store: {revision: 1}, transfer, place, days: 7, signal});
      await machine.pass(IDLE_MS);
      controller.abort();
      await running;
      expect(written).toEqual([[expect.stringMatching(/^\.before-/), expect.stringMatching(/^\.daily-.*\.new$/)]]);
      expect(await machine.files()).toEqual([expect.stringMatching(/^\.before-/)]);
    }
    expect(machine.lines).toEqual([expect.stringContaining('it took too long')]);
  });

  test('leaves no file for long if the service was killed', async () => {
    const machine = await startMachine();
    await machine.leave('.daily-20260101t000000000z.aa.new');
    await machine.leave('.before-load-20260101t000000000z.aa.new');
    await machine.open();
    await machine.pass(IDLE_MS);
    expect(await machine.files()).toEqual(['.before-load-20260101t000000000z.aa.new']);
  });
});
