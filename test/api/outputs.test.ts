import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {COMMAND_LIST} from '../../src/cli/catalogue/commands.ts';
import type {Plugins} from '../../src/core/domain/plugins/plugin.ts';
import {createMachine, type Finished} from '../cli/crewroom.ts';
import {expectListing} from '../support/api/expect-listing.ts';
import {listShape, parseOutput} from '../support/api/list-shape.ts';
import {startPhpVms5} from '../support/back-ends.ts';
import {makeDamaged} from '../support/damaged-store.ts';
import {formatExport} from '../support/exports.ts';
import {ADA} from '../support/pilots.ts';
import {copyPlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {parsePrometheus} from '../support/prometheus.ts';

const machine = await createMachine();
const PLUGIN = 'com.example.hello';

/** Command lines that print JSON, in their order: the words that the listing names, and their arguments. */
const RUNS: readonly (readonly [words: string, args?: string])[] = [
  ['status'],
  ['wait'],
  ['plugin list'],
  ['plugin logs', PLUGIN],
  ['plugin restart', PLUGIN],
  ['put', 'a {"n":1}'],
  ['patch', 'a {"m":2}'],
  ['get', 'a'],
  ['get', 'none'],
  ['touch', 'a --ttl 1h'],
  ['list', '--values'],
  ['export', 'all.ndjson'],
  ['import', 'some.ndjson'],
  ['snapshot save', 'one'],
  ['snapshot list'],
  ['snapshot load', 'one --yes'],
  ['snapshot delete', 'one --dry-run'],
  ['snapshot delete', 'one'],
  ['history', 'a'],
  ['history', 'a --at 1'],
  ['restore', 'a --at 1'],
  ['delete', 'a --dry-run'],
  ['delete', 'a'],
  ['reset', '--dry-run'],
  ['reset', '--yes'],
  ['console', '--print'],
  ['access grant', 'com.a admin'],
  ['access list'],
  ['access refused'],
  ['access revoke', 'com.a --dry-run'],
  ['access revoke', 'com.a'],
  ['token create', 'a --permission admin --expires 1h'],
  ['token list'],
  ['token revoke', 'a --dry-run'],
  ['token revoke', 'a'],
  ['plugin set', 'core darkMode=true'],
  ['plugin check', PLUGIN],
  ['plugin pack', `${PLUGIN} --output a.zip`],
  ['plugin install', 'a.zip --yes'],
  ['plugin remove', `${PLUGIN} --dry-run`],
  ['plugin remove', `${PLUGIN} --yes`],
  ['plugin new', 'my-plugin --id com.example.mine'],
  ['plugin types', 'my-plugin'],
  ['pilot list'],
  ['pilot use', 'captain'],
  ['sign-in', '--script-url BACK-END --username 1'],
  ['sign-out'],
  ['flight start'],
  ['flight status'],
  ['flight pause'],
  ['flight stop'],
  ['fault delay', '1ms'],
  ['fault list'],
  ['airline init', 'air --script-url https://air.example/ --name Air'],
  ['doctor', '--profile none.json'],
  ['config'],
  ['paths'],
  ['explain'],
  ['explain', 'no-entry'],
  ['version'],
  ['recover', 'rest.ndjson --yes'],
  ['requests'],
  ['stop'],
];

/** Commands with other outputs for each machine, with those of an operation, or with lines of a log. */
const WITHOUT_RUN = ['service', 'identity', 'start', 'dev', 'watch'];

test('metrics match their listing', async () => {
  const {crewroom, url} = await startPlugins(directory => copyPlugin(PLUGIN, directory), {ephemeral: true});
  await untilMeasured(crewroom.plugins);
  await crewroom.entries.put('a', 1);
  await fetch(`${url}/api/none`);
  const families = parsePrometheus(await (await fetch(`${url}/metrics`)).text());
  const lines = [...families].flatMap(([name, {type, labels}]) => [
    `${name}: ${type}`,
    ...[...labels].sort().map(label => `${name} label ${label}: string`),
  ]);
  await expectListing('metrics', `${lines.join('\n')}\n`);
});

test('outputs of commands with --json match their listing', async () => {
  const run = await prepareRuns();
  const documents = new Map<string, unknown[]>();
  const exitCodes: string[] = [];
  for (const [words, args = ''] of RUNS) {
    const {exitCode, stdout, stderr} = await run(words, args);
    const name = `crewroom ${words} ${exitCode === 0 || stdout !== '' ? 'stdout' : 'stderr'}`;
    // A background that was started again has measured its memory, or has not yet.
    const text = words === 'plugin restart' ? stdout.replace(/,"memoryBytes":\d+/, '') : stdout || stderr;
    documents.set(name, [...(documents.get(name) ?? []), ...parseOutput(text)]);
    exitCodes.push(`${`crewroom ${words} ${args}`.trimEnd()} ends with: ${exitCode}`);
  }
  const lines = [...documents].flatMap(([name, each]) => listShape(each, name));
  await expectListing('outputs', `${[...exitCodes, ...lines].join('\n')}\n`);
});

test('each command with --json is in the listing, or its output is none of its own', () => {
  const withJson = COMMAND_LIST.filter(({flags}) => 'json' in flags).map(({name}) => name);
  const run = RUNS.map(([words]) => words.replace(/ .*/, ''));
  expect([...new Set([...run, ...WITHOUT_RUN])].sort()).toEqual(withJson.toSorted());
});

/** Starts the services of the runs, and returns what runs a command line with `--json`. */
async function prepareRuns(): Promise<(words: string, args: string) => Promise<Finished>> {
  const backEnd = await startPhpVms5({nowMs: Date.now});
  onTestFinished(() => backEnd.stop());
  const service = await startPlugins(directory => copyPlugin(PLUGIN, directory));
  const other = await machine.start(['--ephemeral']);
  await fetch(`${other.url}/api/keys`);
  await untilMeasured(service.crewroom.plugins);
  await copyPlugin(PLUGIN, machine.home);
  await writeFile(join(machine.home, 'some.ndjson'), formatExport([['imported', '1']]));
  const damaged = await makeDamaged();
  const atOther = ['--port', String(other.port)];
  const data = ['--data-dir', service.dataDir];
  const addressOf: Readonly<Record<string, readonly string[]>> = {
    recover: ['--data-dir', damaged.directory],
    requests: atOther,
    stop: atOther,
    ...Object.fromEntries(['airline', 'paths', 'version', 'explain'].map(name => [name, []])),
    ...Object.fromEntries(['plugin new', 'plugin types', 'plugin check', 'plugin pack'].map(name => [name, []])),
  };
  return (words, args) => {
    const given = args.replace('BACK-END', backEnd.scriptURL).split(' ');
    const address = addressOf[words] ??
      addressOf[words.replace(/ .*/, '')] ?? ['--port', String(service.port), ...data];
    const line = [...words.split(' '), ...given.filter(word => word !== ''), '--json', ...address];
    return machine.run(line, {input: `${ADA.password}\n`});
  };
}

/** Waits until the background of the plugin has measured its memory, which it does each second. */
async function untilMeasured(plugins: Plugins): Promise<void> {
  await vi.waitUntil(() => plugins.list().some(({memoryBytes}) => memoryBytes !== undefined), {timeout: 60_000});
}
