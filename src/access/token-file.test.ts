import {randomBytes} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {tokenFile} from './token-file.ts';
import {PERMISSIONS_MAX, TOKENS_MAX, TokenRegister} from './token-register.ts';

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
