import assert from 'node:assert/strict';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openCrewroom} from '../../src/app/open-crewroom.ts';
import {openTestService} from '../support/service.ts';
import {createMachine, type RunOptions} from './crewroom.ts';

const machine = await createMachine();

/** Starts a service in memory for the time of a test, and returns what it and `crewroom status` say of its mode. */
async function shownMode(args: readonly string[], options: RunOptions = {}): Promise<unknown> {
  const service = await machine.start(['--ephemeral', ...args], options);
  const document = (await (await fetch(`${service.url}/api`)).json()) as {readonly access: unknown};
  const port = String(service.port);
  const {exitCode, stdout} = await machine.run(['status', '--port', port, '--json']);
  assert.equal(exitCode, 0);
  const people = await machine.run(['status', '--port', port]);
  assert.match(people.stdout, new RegExp(`Access +${document.access}\n`));
  await service.stop();
  assert.deepEqual([JSON.parse(stdout).access, service.started['access']], [document.access, document.access]);
  return document.access;
}

describe('the mode of access', () => {
  test('is open by default', async () => {
    assert.equal(await shownMode([]), 'open');
  });

  test('is that of the flag, then of the variable, then of the config file', async () => {
    const folder = join(machine.home, 'config', 'crewroom');
    await mkdir(folder, {recursive: true});
    await writeFile(join(folder, 'config.json'), '{"access": "attributed"}');
    const environment = {CREWROOM_ACCESS: 'strict'};
    assert.equal(await shownMode([]), 'attributed');
    assert.equal(await shownMode([], {environment}), 'strict');
    assert.equal(await shownMode(['--access', 'open'], {environment}), 'open');
    await writeFile(join(folder, 'config.json'), '{}');
  });

  test('is an option of an embedding program, which calls as any other program', async () => {
    await using crewroom = await openTestService({ephemeral: true, access: 'strict'});
    const refused = await crewroom.fetch(new Request('http://localhost:7172/api/identity'));
    expect([refused.status, await refused.json()]).toEqual([401, expect.objectContaining({code: 'token-required'})]);
    await expect(openCrewroom({store: 'memory', access: 'closed' as 'open'})).rejects.toMatchObject({
      failure: {code: 'invalid-configuration'},
    });
  });

  test('is refused if there is no such mode', async () => {
    for (const mode of ['STRICT', 'closed', '']) {
      const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--access', mode]);
      assert.equal(exitCode, 2);
      assert.match(stderr, /has to be open, attributed or strict, not/);
    }
  });
});

describe.runIf(process.platform === 'linux')('the banner', () => {
  test('shows the mode', async () => {
    const args = ['start', '--port', '0', '--ephemeral', '--access', 'strict'];
    const running = machine.spawnOnTerminal(args, {environment: {NO_COLOR: '1'}});
    await running.until(({stdout}) => stdout.includes('Stop'));
    assert.match(running.said().stdout, /Access +strict: only callers that prove who they are/);
    running.child.stdin.write('\u0003');
    await running.finished;
  });
});
