import {existsSync} from 'node:fs';
import {readdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {COMMAND_LIST} from '../../src/cli/catalogue/commands.ts';
import {makeDamaged} from '../support/damaged-store.ts';
import {writePlugin} from '../support/plugin-folder.ts';
import {startInTest, type TestService} from '../support/service.ts';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();

const ID = 'com.example.gone';

interface Fixture {
  readonly run: (words: readonly string[]) => Promise<Finished>;
  readonly service: TestService;
  readonly plugins: string;
}

/** Starts a service with entries, a snapshot, a token, a grant, and a plugin beside it. */
async function prepare(): Promise<Fixture> {
  const service = await startInTest({ephemeral: false});
  const plugins = join(service.dataDir, '..', 'plugins');
  await writePlugin(join(plugins, ID), {'ui/index.html': ''});
  const where = ['--port', String(service.port), '--data-dir', service.dataDir];
  const run = ([command = '', ...words]: readonly string[]) =>
    machine.run([command, ...(command === 'plugin' ? ['--plugins-dir', plugins] : []), ...where, ...words]);
  for (const key of ['a/1', 'a/2', 'b']) await service.crewroom.entries.put(key, 1);
  await run(['snapshot', 'save', 'one']);
  await service.crewroom.entries.put('later', 1);
  await run(['token', 'create', 'backup', '--permission', 'admin']);
  await run(['access', 'grant', ID, 'admin', 'identity:read']);
  return {run, service, plugins};
}

/** Returns all that the commands could delete. */
async function stateOf({run, plugins}: Fixture): Promise<unknown> {
  const lists = [['list'], ['snapshot', 'list'], ['token', 'list'], ['access', 'list']];
  const outputs = await Promise.all(lists.map(async words => (await run([...words, '--json'])).stdout));
  return [outputs, (await run(['export'])).stdout, await readdir(plugins)];
}

const deletions: readonly {readonly words: readonly string[]; readonly json: object; readonly text: RegExp}[] = [
  {words: ['delete', 'b'], json: {deleted: 1}, text: /^Would delete 1 entry\n$/},
  {words: ['delete', '--prefix', 'a/'], json: {deleted: 2}, text: /^Would delete 2 entries\n$/},
  {words: ['reset'], json: {deleted: 4}, text: /^Would delete 4 entries\n$/},
  {words: ['snapshot', 'delete', 'one'], json: {deletedSnapshot: 'one'}, text: /^Would delete the snapshot one\n$/},
  {words: ['snapshot', 'load', 'one'], json: {entries: 3, deleted: 1}, text: /^Would load 3 entries/},
  {words: ['token', 'revoke', 'backup'], json: {revokedToken: 'backup'}, text: /^Would revoke backup\n$/},
  {
    words: ['access', 'revoke', ID, 'admin'],
    json: {plugin: ID, permissions: ['identity:read']},
    text: /^Would revoke admin\. Permissions of com\.example\.gone: identity:read\n$/,
  },
  {words: ['access', 'revoke', ID], json: {permissions: []}, text: /^Would revoke all permissions\. /},
  {words: ['plugin', 'remove', ID], json: {id: ID, removed: true}, text: /^Would remove com\.example\.gone/},
];

describe('--dry-run', () => {
  test.each(deletions)('of $words says what would go, and changes nothing', async ({words, json, text}) => {
    const fixture = await prepare();
    const before = await stateOf(fixture);
    // No one confirms it, and none is needed.
    const shown = await fixture.run([...words, '--dry-run']);
    expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(text);
    const {stdout} = await fixture.run([...words, '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({...json, dryRun: true});
    expect(await stateOf(fixture)).toEqual(before);
    // The command itself does it.
    const confirmed = ['token', 'access'].includes(words[0] ?? '') || words[1] === 'delete' ? [] : ['--yes'];
    const done = await fixture.run([...words, ...(words[1] === 'b' ? [] : confirmed), '--json']);
    expect([done.exitCode, JSON.parse(done.stdout)]).toEqual([0, expect.objectContaining({...json, dryRun: false})]);
    expect(await stateOf(fixture)).not.toEqual(before);
  });

  test.each([
    {words: ['delete', 'none'], code: 'no-entry'},
    {words: ['delete', 'b', '--if-match', '1'], code: 'revision-conflict'},
    {words: ['snapshot', 'delete', 'none'], code: 'unreadable-input'},
    {words: ['token', 'revoke', 'none'], code: 'no-token'},
    {words: ['access', 'revoke', 'com.none'], code: 'no-grant'},
    {words: ['access', 'revoke', ID, 'session:manage'], code: 'no-grant'},
    {words: ['plugin', 'remove', 'com.none'], code: 'no-plugin'},
  ])('of $words is refused as the command is', async ({words, code}) => {
    const {run} = await prepare();
    const refused = await run([...words, '--dry-run', '--json']);
    const real = await run([...words, '--json', ...(words[0] === 'plugin' ? ['--yes'] : [])]);
    expect([refused.exitCode, JSON.parse(refused.stderr).code]).toEqual([real.exitCode, code]);
    expect(JSON.parse(real.stderr).code).toBe(code);
  });

  test('of recover describes the loss, and leaves the log as it is', async () => {
    const damaged = await makeDamaged();
    const recover = (...words: readonly string[]) =>
      machine.run(['recover', damaged.rest, '--data-dir', damaged.directory, '--json', ...words]);
    for (let round = 0; round < 2; round++) {
      const {exitCode, stdout} = await recover('--dry-run');
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({dryRun: true, recovered: false, deletedKeys: ['a']});
    }
    expect(existsSync(damaged.rest)).toBe(false);
    expect(JSON.parse((await recover('--yes')).stdout)).toMatchObject({dryRun: false, recovered: true});
  });

  test('is refused by actions that delete nothing', async () => {
    const {run} = await prepare();
    for (const words of [
      ['token', 'create', 'a', '--permission', 'admin'],
      ['access', 'grant', ID, 'admin'],
      ['snapshot', 'save', 'two'],
      ['plugin', 'restart', ID],
      ['service', 'install'],
    ]) {
      const {exitCode, stderr} = await (words[0] === 'service' ? machine.run : run)([...words, '--dry-run']);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${words[1]} takes no --dry-run`)]);
    }
  });

  test('is a flag of every command that deletes or replaces entries, plugins, permissions or the session', () => {
    const names = COMMAND_LIST.filter(({flags}) => 'dryRun' in flags).map(({name}) => name);
    expect(names.toSorted()).toEqual([
      'access',
      'delete',
      'import',
      'plugin',
      'recover',
      'reset',
      'service',
      'sign-out',
      'snapshot',
      'token',
    ]);
  });
});

describe('--if-match', () => {
  test('writes only if the entry still has the revision', async () => {
    const {run, service} = await prepare();
    const {entries} = service.crewroom;
    const writes = [
      ['put', 'b', '2'],
      ['patch', 'b', '{"x": 1}'],
      ['touch', 'b', '--forever'],
      ['delete', 'b'],
    ];
    for (const words of writes) {
      const revision = String((await entries.get('b'))?.revision);
      expect((await run([...words, '--if-match', '1'])).exitCode).toBe(4);
      expect(String((await entries.get('b'))?.revision)).toBe(revision);
      expect((await run([...words, '--if-match', revision])).exitCode).toBe(0);
    }
    expect(await entries.get('b')).toBeUndefined();
  });

  test('keeps an editor from opening for another revision', async () => {
    const {service} = await prepare();
    const place = ['--port', String(service.port), '--data-dir', service.dataDir];
    await writeFile(join(machine.home, 'editor.sh'), 'echo opened > "$HOME/opened"; echo 7 > "$1"\n');
    const environment = {EDITOR: `sh ${join(machine.home, 'editor.sh')}`, HOME: machine.home};
    const edit = (revision: string) =>
      machine.runOnTerminal(['edit', 'b', '--if-match', revision, ...place], {environment});
    expect((await edit('1')).exitCode).toBe(4);
    expect(existsSync(join(machine.home, 'opened'))).toBe(false);
    const revision = String((await service.crewroom.entries.get('b'))?.revision);
    expect((await edit(revision)).exitCode).toBe(0);
    expect((await service.crewroom.entries.get('b'))?.text).toBe('7');
  });
});
