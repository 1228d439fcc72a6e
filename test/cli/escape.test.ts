import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {startService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

/** Empties a terminal, turns the direction of writing, begins a line of its own. */
const EVIL = '\u009b2J\u202eevil\nsecond line';

/** Such characters, as they stand in what a terminal gets; line ends are its own. */
const OBEYED = /[\u0080-\u009f\u202a-\u202e]|^second line/m;

describe.runIf(process.platform === 'linux')('texts from outside, on a terminal', () => {
  test('of an airline are escaped in the banner, in status and in identity', async () => {
    const {airline} = SAMPLE_DOCUMENT;
    const document = {...SAMPLE_DOCUMENT, airline: {...airline, settings: {...airline.settings, airlineName: EVIL}}};
    await writeFile(join(machine.home, 'evil.json'), JSON.stringify(document));
    const args = ['start', '--ephemeral', '--port', '0', '--profile', 'evil.json'];
    const running = machine.spawnOnTerminal(args);
    await running.until(({stdout}) => stdout.includes('Stop'));
    const banner = running.said().stdout;
    assert.ok(banner.includes('\\u009b2J\\u202eevil\\u000asecond line'), banner);
    assert.doesNotMatch(banner, OBEYED);
    const port = /localhost:(\d+)/.exec(banner)?.[1] ?? '';
    for (const command of [['status'], ['status', '--json'], ['identity'], ['identity', '--json']]) {
      const {stdout} = await machine.runOnTerminal([...command, '--port', port]);
      assert.ok(stdout.includes('\\u009b2J'), stdout);
      assert.doesNotMatch(stdout, OBEYED);
    }
    running.child.stdin.write('\u0003');
    await running.finished;
  });

  test('of a value are escaped by get, which a pipe gets as they are', async () => {
    await using service = await startService({ephemeral: true});
    const port = String(service.port);
    const value = '"\u009b2J\u202eevil"';
    await machine.run(['put', 'k\u202e', value, '--port', port]);
    const reading = [
      ['get', 'k\u202e'],
      ['get', 'k\u202e', '--json'],
      ['list'],
      ['list', '--json'],
      ['list', '--values'],
      ['list', '--values', '--json'],
    ];
    for (const args of reading) {
      const {stdout} = await machine.runOnTerminal([...args, '--port', port]);
      assert.match(stdout, /\\u202e/);
      assert.doesNotMatch(stdout, OBEYED);
    }
    assert.equal((await machine.run(['list', '--values', '--port', port])).stdout, `k\u202e\t${value}\n`);
    assert.equal((await machine.run(['get', 'k\u202e', '--port', port])).stdout, value);
  });

  test('of values are escaped by export, to which they stay the same, and a pipe gets them as they are', async () => {
    await using service = await startService({ephemeral: true});
    const port = String(service.port);
    // Characters of several bytes stand where the parts of an export meet, too.
    const value = '\u009b2J\u202eevil é'.repeat(20_000);
    await machine.run(['put', 'k\u202e', '-', '--port', port], {input: JSON.stringify(value)});
    const shown = await machine.spawnOnTerminal(['export', '-', '--port', port]).finished;
    // The terminal itself shows the end of its input, at any place.
    const stdout = shown.stdout.replace('^D\b\b', '');
    assert.doesNotMatch(stdout, OBEYED);
    const line = stdout.split(/\r?\n/).find(text => text.startsWith('{"key"')) ?? '';
    const entry = JSON.parse(line) as {readonly key: string; readonly value: string};
    assert.equal(entry.key, 'k\u202e');
    assert.ok(entry.value === value);
    assert.ok((await machine.run(['export', '--port', port])).stdout.includes(`"value":"${value}"`));
  });

  test('of events are escaped by watch, for programs too, to which they stay the same', async () => {
    await using service = await startService({ephemeral: true});
    const port = String(service.port);
    await machine.run(['put', 'k\u202e', '"\u009b2J"', '--port', port]);
    const watching = machine.spawnOnTerminal(['watch', '--initial', '--json', '--port', port]);
    await watching.until(({stdout}) => /"value":.*\}\r?\n/.test(stdout));
    const {stdout} = watching.said();
    assert.doesNotMatch(stdout, OBEYED);
    const line = stdout.split(/\r?\n/).find(text => text.startsWith('{"kind":"entry-written"')) ?? '';
    const {key, value} = JSON.parse(line) as {readonly key: string; readonly value: string};
    assert.deepEqual({key, value}, {key: 'k\u202e', value: '\u009b2J'});
    watching.child.stdin.write('\u0003');
    await watching.finished;
  });

  test('of settings are escaped in every document for programs, to which they stay the same', async () => {
    const dataDir = join(machine.home, 'data\u202e\u009b2J');
    const environment = {CREWROOM_DATA_DIR: dataDir, CREWROOM_PORT: '1'};
    for (const command of ['config', 'paths', 'doctor']) {
      const {stdout} = await machine.runOnTerminal([command, '--json'], {environment});
      assert.doesNotMatch(stdout, OBEYED);
      assert.ok(JSON.stringify(JSON.parse(stdout)).includes(dataDir), stdout);
    }
  });
});
