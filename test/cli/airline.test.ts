import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {parser} from '@prometheus-io/lezer-promql';
import {describe, test} from 'vitest';
import {parse, stringify} from 'yaml';
import {METRICS} from '../../src/service/metrics/collect.ts';
import {copyPlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {parsePrometheus} from '../support/prometheus.ts';
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

/** How a series goes on after its first ten minutes, of which an alert is to tell; the minute at which it must have told. */
interface Cause {
  readonly alert: string;
  readonly series: string;
  readonly after: string;
  readonly byMinute?: number;
  /** A second series that changes with it. */
  readonly with?: readonly [series: string, after: string];
}

const CAUSES: readonly Cause[] = [
  {alert: 'CrewroomDown', series: 'up', after: '0x50', byMinute: 16},
  {alert: 'CrewroomReadOnly', series: 'crewroom_store_read_only', after: '1x50'},
  ...['entry-corrupt', 'store-corrupt', 'internal'].map(code => ({
    ...{alert: 'CrewroomDamage', series: `crewroom_http_failures_total{code="${code}"}`, after: '1x50'},
  })),
  {alert: 'CrewroomBackEnd', series: 'crewroom_back_end_requests_total{result="failed"}', after: '1x50'},
  {alert: 'CrewroomSessionStale', series: 'crewroom_session_stale_timestamp_seconds', after: '660x50', byMinute: 27},
  {alert: 'CrewroomSessionEnded', series: 'crewroom_session_end_timestamp_seconds', after: '660x50'},
  {alert: 'CrewroomCheckpoints', series: 'crewroom_store_checkpoints_total{result="failed"}', after: '1x50'},
  {
    ...{alert: 'CrewroomSlowDisk', series: 'crewroom_wal_sync_duration_seconds_sum', after: '2+12x50', byMinute: 27},
    with: ['crewroom_wal_sync_duration_seconds_count', '10+60x50'],
  },
  {alert: 'CrewroomPluginEnds', series: 'crewroom_plugin_ends_total{plugin="com.example.hello"}', after: '4x50'},
  ...['stopped', 'broken'].map(state => ({
    ...{alert: 'CrewroomPluginStopped', series: 'crewroom_plugin_state{plugin="com.example.hello",state="running"}'},
    ...{after: '_x50', byMinute: 12},
    with: [`crewroom_plugin_state{plugin="com.example.hello",state="${state}"}`, '1x50'] as const,
  })),
];

/** Changes that are everyday life: after each, no alert tells anything. */
const PEACE: readonly Cause[] = [
  {alert: 'none', series: 'crewroom_http_failures_total{code="no-entry"}', after: '1+9x50'},
  {alert: 'none', series: 'crewroom_back_end_requests_total{result="refused"}', after: '1+1x50'},
  {alert: 'none', series: 'crewroom_session_stale_timestamp_seconds', after: '660x13 0x37'},
  {alert: 'none', series: 'crewroom_session_end_timestamp_seconds', after: '4000x50'},
  {alert: 'none', series: 'crewroom_store_checkpoints_total{result="written"}', after: '1+1x50'},
  {alert: 'none', series: 'crewroom_plugin_ends_total{plugin="com.example.hello"}', after: '2x50'},
  {
    ...{alert: 'none', series: 'crewroom_wal_sync_duration_seconds_sum', after: '0.1+0.6x50'},
    with: ['crewroom_wal_sync_duration_seconds_count', '10+60x50'],
  },
];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: {readonly summary: string};
}

async function readRules(folder: string): Promise<readonly Rule[]> {
  const file = await read(`${folder}/crewroom-alerts.yml`);
  const {groups} = parse(file) as {readonly groups: readonly {readonly rules: readonly Rule[]}[]};
  return groups.flatMap(({rules}) => rules);
}

/** Returns a test of promtool: all series of a service as they are at its start, one of which changes after ten minutes. */
function testOf(
  {alert, series, after, byMinute = 11, with: other}: Cause,
  rules: readonly Rule[],
  start: Series,
): object {
  const target = {instance: 'pilot:7172', job: 'crewroom'};
  const changed = new Map([[series, after], ...(other === undefined ? [] : [other])]);
  const goingOn = [...start].map(
    ([name, value]) => [name, `${value}x10 ${changed.get(name) ?? `${value}x50`}`] as const,
  );
  const begun = [...changed]
    .filter(([name]) => !start.has(name))
    .map(([name, values]) => [name, `_x10 ${values}`] as const);
  const told = {...labelsOf(other?.[1] === '1x50' ? other[0] : series), ...target};
  const at = (minute: number, rule: Rule): object => ({
    ...{eval_time: `${minute}m`, alertname: rule.alert},
    exp_alerts:
      rule.alert === alert && minute > 10
        ? [{exp_labels: {...told, ...rule.labels}, exp_annotations: {summary: fill(rule.annotations.summary, told)}}]
        : [],
  });
  return {
    ...{interval: '1m', name: `${alert}: ${series}`},
    input_series: [...goingOn, ...begun].map(([name, values]) => ({series: withLabels(name, target), values})),
    alert_rule_test: rules.flatMap(rule => [at(9, rule), at(byMinute, rule)]),
  };
}

type Series = ReadonlyMap<string, number>;
type Labels = Readonly<Record<string, string>>;

const labelsOf = (series: string): Labels =>
  Object.fromEntries([...series.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));

const withLabels = (series: string, labels: Labels): string =>
  `${series.replace(/\{.*/, '')}{${Object.entries({...labelsOf(series), ...labels}).map(([name, value]) => `${name}="${value}"`)}}`;

const fill = (text: string, labels: Labels): string =>
  text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '');

/** Returns all series that a service with a plugin has before anything happens. */
async function seriesAtStart(): Promise<Series> {
  const service = await startPlugins(directory => copyPlugin('com.example.hello', directory));
  await service.until('com.example.hello', ({state}) => state === 'running');
  const families = parsePrometheus(await (await fetch(`${service.url}/metrics`)).text());
  return new Map([['up', 1], ...[...families.values()].flatMap(({series}) => [...series])]);
}

describe('crewroom airline init', () => {
  test('writes an airline file, with which the service starts', async () => {
    const {exitCode, stderr} = await init('air', ...NAMES, '--icao', 'EXM');
    assert.equal(exitCode, 0);
    // In a pipe too.
    assert.match(stderr, /^Wrote .*airline\.json\n.*\nCheck the back end: /s);
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
    const rules = await readRules('rules');
    assert.ok(rules.length > 5);
    for (const {alert, expr, annotations} of rules) {
      assert.match(alert, /^Crewroom[A-Za-z]+$/);
      assert.ok(typeof annotations.summary === 'string');
      for (const {name, text} of nodesOf(expr)) {
        assert.notEqual(name, '⚠', `${alert}: ${expr}`);
        const isMetric = name === 'Identifier' && text !== 'up';
        const family = text.replace(/_(?:sum|count|bucket)$/, '');
        assert.ok(!isMetric || Object.hasOwn(METRICS, family) || Object.hasOwn(METRICS, text), text);
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

  test.skipIf(process.platform !== 'linux' || (!existsSync(CHECKER) && process.env['CI'] === undefined))(
    'writes alert rules that tell of the first cause of each alert, and of nothing else (needs promtool)',
    async () => {
      await init('told', ...NAMES);
      const rules = await readRules('told');
      assert.deepEqual(new Set(CAUSES.map(({alert}) => alert)), new Set(rules.map(({alert}) => alert)));
      const start = await seriesAtStart();
      const missing = [...CAUSES, ...PEACE].filter(({series}) => !start.has(series));
      assert.deepEqual(missing, []);
      const file = join(home, 'told/test.yml');
      const tests = [...CAUSES, ...PEACE].map(cause => testOf(cause, rules, start));
      await writeFile(file, stringify({rule_files: ['crewroom-alerts.yml'], evaluation_interval: '1m', tests}));
      const {stdout} = await promisify(execFile)(CHECKER, ['test', 'rules', file]);
      assert.match(stdout, /SUCCESS/);
    },
  );

  test('overwrites nothing, and then writes nothing', async () => {
    await mkdir(join(home, 'used'));
    await writeFile(join(home, 'used', 'for-pilots.md'), 'mine');
    const {exitCode, stderr} = await init('used', ...NAMES);
    assert.equal(exitCode, 4);
    assert.match(stderr, /it has a file for-pilots\.md[\s\S]*nothing was written/);
    assert.deepEqual(await readdir(join(home, 'used')), ['for-pilots.md']);
    assert.equal(await read('used/for-pilots.md'), 'mine');
  });

  test('prints the files for programs with --json', async () => {
    const {stdout} = await init('json', ...NAMES, '--json');
    const {writtenFiles} = JSON.parse(stdout) as {readonly writtenFiles: readonly string[]};
    assert.deepEqual(writtenFiles.toSorted(), ['airline.json', 'crewroom-alerts.yml', 'for-pilots.md']);
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
