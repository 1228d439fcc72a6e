import {randomBytes} from 'node:crypto';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {tokenFile} from './token-file.ts';
import {type KeptToken, PERMISSIONS_MAX, TOKENS_MAX, TokenRegister} from './token-register.ts';

const FORM = {format: 'crewroom-access-tokens', version: 1};

test('the file can be read with as many tokens and as long permissions as the register takes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-tokens-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  const register = new TokenRegister({
    tokens: [],
    save: kept => tokenFile(directory).replace(kept, randomBytes),
    nowMs: () => 0,
    timers: {after: () => () => {}},
    randomBytes,
  });
  // JSON escapes each quote.
  const permissions = Array.from(
    {length: PERMISSIONS_MAX},
    (_, index) => `entries:write:${String(index).padStart(511, '"')}/`,
  );
  for (let index = 0; index < TOKENS_MAX; index++)
    await register.create({name: String(index).padStart(64, 'a'), permissions, expiresAtMs: 1});
  const read = await tokenFile(directory).read();
  expect(read?.map(({hash: _, ...token}) => token)).toEqual(register.list());
});

describe('the file of tokens', () => {
  const TOKEN = {
    name: 'a',
    sha256: '0f'.repeat(32),
    permissions: ['admin'],
    createdAt: '2026-01-01T12:00:00.000Z',
  };

  test('has times that are RFC 3339, and hashes', async () => {
    const directory = await makeDirectory();
    await write(directory, [TOKEN, {...TOKEN, name: 'b', expiresAt: '2026-01-01T14:00:00+01:00'}]);
    const common = {
      permissions: ['admin'],
      hash: Buffer.alloc(32, 15),
      createdAtMs: Date.UTC(2026, 0, 1, 12),
    };
    expect(await tokenFile(directory).read()).toEqual([
      {...common, name: 'a'},
      {...common, name: 'b', expiresAtMs: Date.UTC(2026, 0, 1, 13)},
    ]);
  });

  test('is written for a person to read, with each token and nothing but its hash', async () => {
    const directory = await makeDirectory();
    const kept: readonly KeptToken[] = [
      {name: 'a', hash: Buffer.alloc(32, 15), permissions: ['admin'], createdAtMs: Date.UTC(2026, 0, 1, 12)},
      {name: 'b', hash: Buffer.alloc(32, 1), permissions: [], createdAtMs: 0, expiresAtMs: 1},
    ];
    await tokenFile(directory).replace(kept, randomBytes);
    const tokens = [
      TOKEN,
      {
        ...{name: 'b', sha256: '01'.repeat(32), permissions: [], createdAt: '1970-01-01T00:00:00.000Z'},
        expiresAt: '1970-01-01T00:00:00.001Z',
      },
    ];
    const text = await readFile(join(directory, 'access-tokens.json'), 'utf8');
    expect(text).toBe(`${JSON.stringify({...FORM, tokens}, undefined, 2)}\n`);
    expect(await tokenFile(directory).read()).toEqual(kept);
  });

  const wrong = [
    {tokens: {}, problem: '$.tokens has to be an array'},
    {tokens: ['a'], problem: '$.tokens[0] has to be an object'},
    ...['name', 'sha256', 'permissions', 'createdAt'].map(name => ({
      tokens: [{...TOKEN, [name]: undefined}],
      problem: `$.tokens[0].${name} is missing`,
    })),
    ...['name', 'sha256', 'createdAt', 'expiresAt'].map(name => ({
      tokens: [{...TOKEN, [name]: 1}],
      problem: `$.tokens[0].${name} has to be a string`,
    })),
    {tokens: [{...TOKEN, permissions: 'admin'}], problem: '$.tokens[0].permissions has to be an array'},
    {tokens: [{...TOKEN, permissions: [1]}], problem: '$.tokens[0].permissions[0] has to be a string'},
    {tokens: [{...TOKEN, origin: 'https://example.com'}], problem: '$.tokens[0].origin is not known here'},
    ...['0f'.repeat(31), `${'0f'.repeat(32)}0`, '0F'.repeat(32), `x${'0f'.repeat(32)}`].map(sha256 => ({
      tokens: [{...TOKEN, sha256}],
      problem: 'the hash of "a" is not one of SHA-256',
    })),
    {
      tokens: [{...TOKEN, permissions: ['admin', 'entries:read:x']}],
      problem:
        'the permission "entries:read:x" has a prefix that does not end in "/"; without a prefix it is about all entries',
    },
    {tokens: [{...TOKEN, createdAt: 'then'}], problem: '"then" is not a time'},
    {tokens: [{...TOKEN, expiresAt: 'never'}], problem: '"never" is not a time'},
  ];
  for (const {tokens, problem} of wrong)
    test(`is refused if ${problem.slice(0, 40)}: ${JSON.stringify(tokens).slice(0, 80)}`, async () => {
      const directory = await makeDirectory();
      await write(directory, tokens);
      await expect(tokenFile(directory).read()).rejects.toMatchObject({
        failure: {code: 'invalid-token-file', file: join(directory, 'access-tokens.json'), problem},
      });
    });
});

test('a file of tokens without its format is refused and left as it is, and read once that is added', async () => {
  const directory = await makeDirectory();
  const kept = [{name: 'a', hash: Buffer.alloc(32, 15), permissions: ['admin'], createdAtMs: 0}] as const;
  await tokenFile(directory).replace(kept, randomBytes);
  const path = join(directory, 'access-tokens.json');
  const {tokens} = JSON.parse(await readFile(path, 'utf8')) as {readonly tokens: unknown};
  const old = JSON.stringify({tokens});
  await writeFile(path, old);
  await expect(tokenFile(directory).read()).rejects.toMatchObject({
    failure: {
      code: 'invalid-token-file',
      problem: 'it needs "format": "crewroom-access-tokens" and "version": 1: add what is missing',
    },
  });
  expect(await readFile(path, 'utf8')).toBe(old);
  await writeFile(path, old.replace('{', '{"format": "crewroom-access-tokens", "version": 1, '));
  expect(await tokenFile(directory).read()).toEqual(kept);
});

test('a file of tokens of a newer version is named as such', async () => {
  const directory = await makeDirectory();
  await writeFile(join(directory, 'access-tokens.json'), JSON.stringify({...FORM, version: 2, principals: []}));
  await expect(tokenFile(directory).read()).rejects.toMatchObject({
    ...{
      failure: {code: 'data-format-unsupported', found: '2', supported: 1},
      message: expect.stringContaining('access-tokens.json'),
    },
  });
});

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-tokens-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  return directory;
}

async function write(directory: string, tokens: object): Promise<void> {
  await writeFile(join(directory, 'access-tokens.json'), JSON.stringify({...FORM, tokens}), {mode: 0o600});
}
