import assert from 'node:assert/strict';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, onTestFinished, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {startPhpVms5, type TestBackEnd} from '../support/back-ends.ts';
import {findFreePort} from '../support/free-port.ts';
import {
  assertCopied,
  assertRemoved,
  assertWritten,
  nameTracer,
  readTrace,
  type TracedStep,
} from '../support/name-trace.ts';
import {ADA} from '../support/pilots.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {CAN_TRACE} from '../support/store-fixture.ts';
import {createMachine, type Service} from './crewroom.ts';
import {GOOD} from './plugin-packages.ts';

const machine = await createMachine();
const {home} = machine;
const dataDir = join(home, 'data');
const snapshots = `${dataDir}-snapshots`;

describe.skipIf(!CAN_TRACE)('what was reported as done survives a loss of power (needs strace)', () => {
  let backEnd: TestBackEnd;
  let service: Service;
  const place = (): readonly string[] => ['--port', String(service.port), '--data-dir', dataDir];

  beforeAll(async () => {
    backEnd = await startPhpVms5({nowMs: Date.now});
    const {airline} = SAMPLE_DOCUMENT;
    const settings = {...airline.settings, scriptURL: backEnd.scriptURL};
    await writeFile(join(home, 'airline.json'), JSON.stringify({...airline, settings}));
    const args = ['--data-dir', dataDir, '--airline', join(home, 'airline.json')];
    service = await machine.start(args, {under: nameTracer(join(home, 'service-trace'))});
    await run(['put', 'a', '1']);
  });
  afterAll(async () => {
    await stop();
    await backEnd.stop();
  });

  async function stop(): Promise<void> {
    if (service.child.exitCode !== null) return;
    process.kill(Number(service.started['processId']), 'SIGTERM');
    await once(service.child, 'close');
  }

  async function run(args: readonly string[], input = ''): Promise<void> {
    const {exitCode, stderr} = await machine.run([...args, ...place()], {input});
    assert.equal(exitCode, 0, stderr);
  }

  async function trace(args: readonly string[]): Promise<readonly TracedStep[]> {
    const output = join(home, 'trace');
    const {exitCode, stderr} = await machine.runProcess(args, {under: nameTracer(output)});
    assert.equal(exitCode, 0, stderr);
    return readTrace(output);
  }

  test('a saved snapshot, with the folder that was made for it', async () => {
    const steps = await trace(['snapshot', 'save', 'one', '--json', ...place()]);
    assert.ok(steps.some(step => step.kind === 'make-directory' && step.path === snapshots));
    assertWritten(steps, join(snapshots, 'one.ndjson'));
  });

  test('a deleted snapshot', async () => {
    await run(['snapshot', 'save', 'two']);
    const steps = await trace(['snapshot', 'delete', 'two', '--json', ...place()]);
    assertRemoved(steps, join(snapshots, 'two.ndjson'));
  });

  test('an export', async () => {
    const file = join(home, 'export.ndjson');
    assertWritten(await trace(['export', file, '--json', ...place()]), file);
  });

  test('the end of a session, a token, and a permission', async () => {
    await run(['sign-in', '--username', '1'], ADA.password);
    assert.match(await readFile(join(dataDir, 'session.json'), 'utf8'), /signed-in/);
    await run(['sign-out']);
    await run(['token', 'create', 'a', '--permission', 'admin']);
    await run(['access', 'grant', 'com.a', 'admin']);
    await stop();
    const steps = await readTrace(join(home, 'service-trace'));
    assertWritten(steps, join(dataDir, 'session.json'));
    assertRemoved(steps, join(dataDir, 'session.json'));
    assertWritten(steps, join(dataDir, 'access-tokens.json'));
    assertWritten(steps, join(dataDir, 'access-rules.json'));
  });

  test('a package, the plugin installed from it, and the types of its settings', async () => {
    const folder = join(home, 'plugin');
    await writePlugin(folder, {'plugin.json': manifestOf('com.example.a'), 'background/index.js': GOOD});
    const [archive, types] = [join(home, 'a.zip'), join(home, 'types.ts')];
    assertWritten(await trace(['plugin', 'pack', folder, '--output', archive]), archive);
    const installed = await trace(['plugin', 'install', archive, '--yes', ...place()]);
    assertWritten(installed, join(`${dataDir}-plugins`, 'com.example.a'));
    assertWritten(await trace(['plugin', 'types', folder, '--output', types]), types);
  });

  test.runIf(existsSync('/dev/shm'))('the files of a removed plugin, kept on another file system', async () => {
    const disk = await mkdtemp('/dev/shm/crewroom-');
    onTestFinished(() => rm(disk, {recursive: true}));
    const far = join(home, 'far');
    const storage = join(far, 'plugin-storage', 'com.example.b');
    await writePlugin(join(`${far}-plugins`, 'com.example.b'));
    await mkdir(join(storage, 'sub'), {recursive: true});
    await writeFile(join(storage, 'sub', 'flights.json'), '[1]');
    await symlink(disk, `${far}-snapshots`);
    const places = ['--port', String(await findFreePort()), '--data-dir', far, '--plugins-dir', `${far}-plugins`];
    const steps = await trace(['plugin', 'remove', 'com.example.b', '--data', '--yes', ...places]);
    const [kept = ''] = await readdir(disk);
    assertCopied(steps, ['sub/flights.json', 'sub'], [storage, join(disk, kept, 'com.example.b')]);
  });
});
