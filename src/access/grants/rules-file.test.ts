import {randomBytes} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {GRANTED_PLUGINS_MAX, GRANTS_MAX, GrantRegister} from './grant-register.ts';
import {rulesFile} from './rules-file.ts';

test('the file can be read with as many plugins and as long permissions as the register takes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-rules-'));
  onTestFinished(() => rm(directory, {recursive: true}));
  // JSON escapes each quote.
  const permissions = Array.from(
    {length: GRANTS_MAX},
    (_, index) => `entries:write:${String(index).padStart(511, '"')}/` as const,
  );
  const [last, ...grants] = Array.from({length: GRANTED_PLUGINS_MAX}, (_, index) => ({
    plugin: String(index).padStart(253, 'a'),
    permissions,
  }));
  const register = new GrantRegister({grants, save: kept => rulesFile(directory).replace(kept, randomBytes)});
  await register.grant(last ?? expect.unreachable());
  expect(await rulesFile(directory).read()).toEqual(register.list());
});
