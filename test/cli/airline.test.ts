import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {parser} from '@prometheus-io/lezer-promql';
import {describe, test} from 'vitest';
import {parse} from 'yaml';
import {METRICS} from '../../src/metrics/metric-table.ts';
import {createMachine, type Finished} from './crewroom.ts';

/** The checker of Prometheus. */
const CHECKER = '/usr/bin/promtool';

const machine = await createMachine();
const {home} = machine;

const NAMES = ['--script-url', 'https://air.example/back-end', '--name', 'Air $& Example'];

function init(folder: string, ...args: readonly string[]): Promise<Finished> {
  return machine.run(['airline', 'init', folder, ...args], {workingDirectory: home});
}

const read = (path: string): Promise<string> => readFile(join(home, path), 'utf8');

describe('crewroom airline init', () => {
  test('writes an airline file, with which the service starts', async () => {
    const {exitCode, stderr} = await init('air', ...NAMES, '--icao', 'EXM');
    assert.deepEqual([exitCode, stderr], [0, '']);
    const {settings} = JSON.parse(await read('air/airline.json')) as {readonly settings: Record<string, unknown>};
    assert.equal(settings['scriptURL'], 'https://air.example/back-end/');
    assert.equal(settings['airlineName'], 'Air $& Example');
    assert.equal(settings['airlineICAO'], 'EXM');
    const doctor = await machine.run(['doctor', '--airline', join(home, 'air', 'airline.json')]);
    assert.match(doctor.stdout + doctor.stderr, /ok +Airline .*pilots sign in at https:\/\/air\.example\/back-end\//);
  });

  test('writes a text for pilots with what to install, how to sign in, and whom to ask', async () => {
    await init('text', ...NAMES, '--contact', 'crew@air.example');
    const text = await read('text/for-pilots.md');
    for (const part of ['win32-x64.exe', 'crewroom sign-in', 'https://air.example/back-end/'])
      assert.ok(text.includes(part), part);
    assert.match(text, /Then ask: crew@air\.example\n$/);
    assert.match(text, /^# Crewroom for pilots of Air \$& Example\n/);
    assert.doesNotMatch(text, /AIRLINE_NAME|BACK_END|CONTACT/);
  });

  test('writes alert rules in the language of Prometheus, of metrics and labels that the service has', async () => {
    await init('rules', ...NAMES);
    const {groups} = parse(await read('rules/crewroom-alerts.yml')) as {
      readonly groups: readonly {readonly name: string; readonly rules: readonly Readonly<Record<string, unknown>>[]}[];
    };
    const rules = groups.flatMap(group => group.rules);
    assert.ok(rules.length > 5);
    for (const {alert, expr, annotations} of rules) {
      assert.match(String(alert), /^Crewroom[A-Za-z]+$/);
      assert.ok(typeof (annotations as {readonly summary: unknown}).summary === 'string');
      for (const {name, text} of nodesOf(String(expr))) {
        assert.notEqual(name, '⚠', `${alert}: ${expr}`);
        const metric = name === 'Identifier' && text !== 'up' ? text.replace(/_(?:sum|count|bucket)$/, '') : undefined;
        if (metric !== undefined) assert.ok(Object.hasOwn(METRICS, metric) || Object.hasOwn(METRICS, text), text);
      }
    }
  });

  test.skipIf(process.platform !== 'linux' || (!existsSync(CHECKER) && process.env['CI'] === undefined))(
    'writes alert rules that Prometheus accepts (needs promtool)',
    async () => {
      await init('checked', ...NAMES);
      const {stdout} = await promisify(execFile)(CHECKER, [
        'check',
        'rules',
        join(home, 'checked/crewroom-alerts.yml'),
      ]);
      assert.match(stdout, /SUCCESS: \d+ rules found/);
    },
  );

  test('overwrites nothing, and then writes nothing', async () => {
    await mkdir(join(home, 'used'));
    await writeFile(join(home, 'used', 'for-pilots.md'), 'mine');
    const {exitCode, stderr} = await init('used', ...NAMES);
    assert.equal(exitCode, 1);
    assert.match(stderr, /it has a file for-pilots\.md[\s\S]*nothing was written/);
    assert.deepEqual(await readdir(join(home, 'used')), ['for-pilots.md']);
    assert.equal(await read('used/for-pilots.md'), 'mine');
  });

  test('prints the files for programs with --json', async () => {
    const {stdout} = await init('json', ...NAMES, '--json');
    const {files} = JSON.parse(stdout) as {readonly files: readonly string[]};
    assert.deepEqual(files.toSorted(), ['airline.json', 'crewroom-alerts.yml', 'for-pilots.md']);
  });

  for (const {args, problem} of [
    {args: ['--name', 'Air'], problem: 'requires --script-url URL'},
    {args: ['--script-url', 'https://air.example/'], problem: 'requires --name NAME'},
    {args: ['--name', 'Air', '--script-url', 'air.example'], problem: '--script-url is not an address'},
    {args: ['--name', 'A\nB', '--script-url', 'https://air.example/'], problem: 'one line of text'},
  ]) {
    test(`refuses ${JSON.stringify(args)} without a terminal`, async () => {
      const {exitCode, stderr} = await init('refused', ...args);
      assert.equal(exitCode, 2);
      assert.ok(stderr.includes(problem), stderr);
    });
  }
});

/** Returns the nodes of an expression, as the grammar of Prometheus reads it. */
function nodesOf(expression: string): readonly {readonly name: string; readonly text: string}[] {
  const nodes: {name: string; text: string}[] = [];
  parser.parse(expression).iterate({
    enter: ({name, from, to}) => void nodes.push({name, text: expression.slice(from, to)}),
  });
  return nodes;
}
