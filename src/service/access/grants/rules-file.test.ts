import {randomBytes} from 'node:crypto';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {GRANTED_PLUGINS_MAX, GRANTS_MAX, GrantRegister, rulesFile} from './grant-register.ts';

const FORM = {format: 'crewroom-access-rules', version: 1};

test('the file can be read with as many plugins and as long permissions as the register takes', async () => {
  const directory = await makeDirectory();
  // JSON escapes each quote.
  const permissions = Array.from(
    {length: GRANTS_MAX},
    (_, index) => `entries:write:${String(index).padStart(511, '"')}/` as const,
  );
  const [last, ...grants] = Array.from({length: GRANTED_PLUGINS_MAX}, (_, index) => ({
    plugin: `com.${String(index).padStart(249, 'a')}`,
    permissions,
  }));
  const register = new GrantRegister({grants, save: kept => rulesFile(directory).replace(kept, randomBytes)});
  await register.grant(last ?? expect.unreachable());
  expect(await rulesFile(directory).read()).toEqual(register.list());
});

describe('the file of rules', () => {
  test('is written for a person to read, and read again with any byte order mark', async () => {
    const directory = await makeDirectory();
    const grants = [
      {plugin: 'com.a', permissions: ['identity:secrets', 'entries:read:com.b/']},
      {plugin: 'com.b', permissions: []},
    ] as const;
    await rulesFile(directory).replace(grants, randomBytes);
    const path = join(directory, 'access-rules.json');
    const text = await readFile(path, 'utf8');
    expect(text).toBe(`${JSON.stringify({...FORM, grants}, undefined, 2)}\n`);
    for (const bytes of [`\u{FEFF}${text}`, Buffer.from(`\u{FEFF}${text}`, 'utf16le')]) {
      await writeFile(path, bytes);
      expect(await rulesFile(directory).read()).toEqual(grants);
    }
  });

  const many = (length: number, ...before: readonly string[]): readonly string[] => [
    ...before,
    ...Array.from({length}, () => 'admin'),
  ];
  const plugins = (length: number): readonly object[] =>
    Array.from({length}, (_, index) => ({plugin: `com.p${index}`, permissions: ['admin']}));

  test('may have as many plugins and permissions as the register takes', async () => {
    const grants = [{plugin: 'com.a', permissions: many(GRANTS_MAX)}, ...plugins(GRANTED_PLUGINS_MAX - 1)];
    expect(await readText(JSON.stringify({...FORM, grants}))).toEqual(grants);
  });

  const needed = 'it needs "format": "crewroom-access-rules" and "version": 1: add what is missing';
  const wrong: readonly {readonly name: string; readonly document: unknown; readonly problem: string}[] = [
    ...[
      [],
      null,
      'com.a',
      {},
      {grants: []},
      {...FORM, format: 'crewroom-access-tokens'},
      {...FORM, version: undefined},
    ].map(document => ({name: 'does not name its format and version', document, problem: needed})),
    ...[0, -1, 1.5, '1', null].map(version => ({
      name: 'has no version',
      document: {...FORM, version, grants: []},
      problem: '$.version has to be 1',
    })),
    ...[
      {grants: undefined, problem: '$.grants is missing'},
      {grants: {}, problem: '$.grants has to be an array'},
      {grants: [null], problem: '$.grants[0] has to be an object'},
      {grants: ['com.a'], problem: '$.grants[0] has to be an object'},
      {grants: [{plugin: 'com.a'}], problem: '$.grants[0].permissions is missing'},
      {grants: [{plugin: 'com.a', permissions: 'admin'}], problem: '$.grants[0].permissions has to be an array'},
      {grants: [{plugin: 'com.a', permissions: [1]}], problem: '$.grants[0].permissions[0] has to be a string'},
      {grants: [{plugin: 1, permissions: []}], problem: '$.grants[0].plugin has to be a string'},
      {grants: [{permissions: []}], problem: '$.grants[0].plugin is missing'},
    ].map(({grants, problem}) => ({name: 'has no list of grants', document: {...FORM, grants}, problem})),
    {name: 'has another member', document: {...FORM, grants: [], mode: 'strict'}, problem: '$.mode is not known here'},
    {
      name: 'has other members of a plugin',
      document: {...FORM, grants: [{plugin: 'com.a', permissions: [], until: '2027', note: ''}]},
      problem: '$.grants[0].until is not known here; $.grants[0].note is not known here',
    },
    ...['com.*', '', '../com.a'].map(plugin => ({
      name: 'has a pattern or a path in place of an id',
      document: {...FORM, grants: [{plugin, permissions: ['admin']}]},
      problem: `${JSON.stringify(plugin)} is not the id of a plugin`,
    })),
    {
      name: 'has an unknown permission',
      document: {...FORM, grants: [{plugin: 'com.a', permissions: ['admin', 'root']}]},
      problem: 'the permission "root" is not one of',
    },
    {
      name: 'has half a prefix',
      document: {...FORM, grants: [{plugin: 'com.a', permissions: ['entries:read:com.b']}]},
      problem: 'does not end in "/"',
    },
    {
      name: 'has a plugin twice',
      document: {...FORM, grants: [...plugins(2), {plugin: 'com.p1', permissions: []}]},
      problem: 'it has a plugin twice',
    },
    {
      name: 'has too many plugins',
      document: {...FORM, grants: plugins(GRANTED_PLUGINS_MAX + 1)},
      problem: `it has more than ${GRANTED_PLUGINS_MAX} plugins`,
    },
    {
      name: 'has too many permissions of a plugin',
      document: {...FORM, grants: [{plugin: 'com.a', permissions: many(GRANTS_MAX, 'identity:read')}]},
      problem: `com.a has more than ${GRANTS_MAX} permissions`,
    },
  ];
  for (const {name, document, problem} of wrong)
    test(`is refused as a whole if it ${name}: ${JSON.stringify(document).slice(0, 60)}`, async () => {
      await expect(readText(JSON.stringify(document))).rejects.toMatchObject({
        failure: {code: 'invalid-rules-file', file: expect.any(String), problem: expect.stringContaining(problem)},
      });
    });

  test('is named as that of a newer version', async () => {
    for (const version of [2, 7])
      await expect(readText(JSON.stringify({...FORM, version, rules: []}))).rejects.toMatchObject({
        failure: {
          code: 'data-format-unsupported',
          directory: expect.stringMatching(/access-rules\.json$/),
          ...{found: String(version), supported: 1},
        },
      });
  });

  for (const text of ['', '{"grants": [{"plugin": "com.a", "perm', 'everything for com.a'])
    test(`is refused if it is ${JSON.stringify(text)}`, async () => {
      await expect(readText(text)).rejects.toMatchObject({failure: {code: 'invalid-rules-file'}});
    });
});

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-rules-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  return directory;
}

/** Reads a file of rules that a person wrote. */
async function readText(text: string): Promise<unknown> {
  const directory = await makeDirectory();
  await writeFile(join(directory, 'access-rules.json'), text);
  return rulesFile(directory).read();
}
