import {describe, expect, test} from 'vitest';
import {checkUsers} from './check-machine.ts';

describe('the check of the users', () => {
  test.runIf(process.platform === 'linux')(
    'reports that programs of other users are refused, and which are not',
    async () => {
      expect(await checkUsers([], 'linux')).toEqual({
        check: 'Users',
        level: 'ok',
        detail: 'programs of other users are refused',
      });
      expect((await checkUsers(['daemon', '1001'], 'linux')).detail).toMatch(/, except those of daemon and 1001$/);
    },
  );

  for (const platform of ['darwin', 'win32'] as const)
    test(`warns on ${platform} that users are not recognised`, async () => {
      const {level, detail, fix} = await checkUsers([], platform);
      expect([level, detail]).toEqual(['warning', 'programs of other users of this machine can call the service']);
      expect(fix).toContain('on Linux only');
    });

  test('finds a user who does not exist', async () => {
    const {level, detail} = await checkUsers(['0', 'no-such-user'], 'linux');
    expect([level, detail]).toEqual(['problem', '"no-such-user" is not a user of this machine']);
  });
});
