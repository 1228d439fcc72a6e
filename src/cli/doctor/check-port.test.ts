import {expect, test} from 'vitest';
import {findFreePort} from '../../../test/support/free-port.ts';
import {checkPort} from './check-port.ts';

// On which nothing answers.
const ADDRESS = {host: '127.0.0.1', port: await findFreePort()};
const NAME = `127.0.0.1:${ADDRESS.port}`;
const listen = async (): Promise<string> => 'EACCES';

test('the doctor names a reservation of Windows, which has the port without a program', async () => {
  expect(await checkPort(ADDRESS, {userId: undefined, platform: 'win32', listen})).toEqual([
    {
      check: 'Port',
      level: 'problem',
      detail: `${NAME} is used by a reservation of Windows ("netsh int ipv4 show excludedportrange protocol=tcp" lists them)`,
      fix: expect.stringContaining('net stop winnat'),
    },
  ]);
});

test('the doctor names the permission that a low port needs elsewhere', async () => {
  const [finding] = await checkPort(ADDRESS, {userId: 1000, platform: 'linux', listen});
  expect([finding?.detail, finding?.fix]).toEqual([`${NAME} is not permitted`, 'Choose a port above 1023 with --port']);
});
