import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {type Log, SILENT_LOG} from '../../core/domain/log.ts';
import type {ConnectionEnds} from '../../platform/system/socket-owner.ts';
import {createPeerCheck, type PeerCheckOptions} from './peer-check.ts';

const ENDS: ConnectionEnds = {own: {address: '127.0.0.1', port: 7172}, peer: {address: '127.0.0.1', port: 40000}};

/** Writes a list with the client of {@link ENDS}. */
function writeTable(userId: number): readonly [string, string] {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-check-'));
  onTestFinished(() => rmSync(directory, {recursive: true}));
  const table = join(directory, 'tcp');
  const line = `0: 0100007F:9C40 0100007F:1C04 01 0:0 0:0 0 ${userId} 0 7 1`;
  writeFileSync(table, `${line}\n`);
  return [table, '/none'];
}

async function check(userId: number, options: Partial<PeerCheckOptions> = {}) {
  const tables = writeTable(userId);
  const isAdmitted = await createPeerCheck({
    ...{allowUsers: [], log: SILENT_LOG, platform: 'linux', ownUser: 1000, tables},
    ...options,
  });
  return isAdmitted?.(ENDS);
}

describe('the check of the peer of a connection', () => {
  const cases = [
    {name: 'admits the user of the service', user: 1000, allowUsers: [], owner: undefined},
    {name: 'admits root', user: 0, allowUsers: [], owner: undefined},
    {name: 'refuses another user', user: 1001, allowUsers: [], owner: 1001},
    {name: 'admits a user who is allowed by id', user: 1001, allowUsers: ['1001', '1002'], owner: undefined},
    {name: 'refuses a user who is not among those allowed', user: 1003, allowUsers: ['1001', '1002'], owner: 1003},
    {name: 'refuses a user whose id begins with one that is allowed', user: 10010, allowUsers: ['1001'], owner: 10010},
  ];
  for (const {name, user, allowUsers, owner} of cases)
    test(name, async () => {
      expect(await check(user, {allowUsers})).toEqual(owner === undefined ? undefined : {code: 'other-user', owner});
    });

  test('refuses a client that is not listed', async () => {
    expect(await check(1000, {tables: [writeTable(1)[0].replace(/$/, '-none'), writeTable(1)[0]]})).toEqual({
      code: 'other-user',
      owner: 1,
    });
    const [table] = writeTable(1000);
    writeFileSync(table, '0: 0100007F:0001 0100007F:1C04 01 0:0 0:0 0 1000 0 7 1\n');
    expect(await check(1000, {tables: [table, '/none']})).toEqual({code: 'other-user'});
  });

  test('takes a client for no other user while the lists cannot be read', async () => {
    // Reading a directory fails, and opening it does not.
    expect(await check(1000, {tables: [tmpdir(), tmpdir()]})).toEqual({code: 'unavailable', what: 'user'});
  });

  // Windows has no user "daemon", and no numbers of users.
  test.skipIf(IS_WINDOWS)(
    'admits a user who is allowed by name, and refuses to begin with a name of no user',
    async () => {
      expect(await check(1, {allowUsers: ['daemon']})).toBeUndefined();
      const failure = {
        code: 'invalid-configuration',
        problems: [
          {setting: 'allowUsers', source: 'allowUsers', problem: '"no-such-user" is not a user of this machine'},
          {setting: 'allowUsers', source: 'allowUsers', problem: '"$(id)" is not a user of this machine'},
        ],
      };
      await expect(check(1, {allowUsers: ['daemon', 'no-such-user', '$(id)']})).rejects.toMatchObject({failure});
    },
  );

  for (const [name, options] of [
    ['on macOS', {platform: 'darwin', allowUsers: ['no-such-user']}],
    ['on Windows', {platform: 'win32', ownUser: undefined}],
  ] as const)
    test(`does not take place ${name}`, async () => {
      expect(await createPeerCheck({allowUsers: [], log: SILENT_LOG, ...options})).toBeUndefined();
    });

  test('admits all if the machine lists no sockets, and reports that once', async () => {
    const errors: string[] = [];
    const log: Log = {...SILENT_LOG, error: message => void errors.push(message)};
    const isAdmitted = await createPeerCheck({
      ...{allowUsers: [], log, platform: 'linux', ownUser: 1000, tables: ['/none', '/none']},
    });
    expect([await isAdmitted?.(ENDS), await isAdmitted?.(ENDS)]).toEqual([undefined, undefined]);
    expect(errors).toEqual(['programs of other users are not refused: this machine does not list its sockets']);
  });
});
