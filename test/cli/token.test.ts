import {describe, expect, test} from 'vitest';
import {bearer} from '../support/access-tokens.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

/** Runs the command for a service, as the user who started it. */
function run({port, dataDir}: Pick<TestService, 'port' | 'dataDir'>, ...args: readonly string[]) {
  return machine.run(['token', ...args, '--port', String(port), '--data-dir', dataDir]);
}

const BACKUP = ['create', 'backup', '--permission', 'entries:read:'];

describe('crewroom token', () => {
  test('prints only the token, which permits what was asked for', async () => {
    const service = await startInTest();
    const {stdout, stderr, exitCode} = await run(
      service,
      ...BACKUP,
      '--permission',
      'identity:read',
      '--expires',
      '30d',
    );
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).toMatch(/^crewroom_[A-Za-z0-9_-]{43}\n$/);
    const call = (line: string) => callService(service, line, {headers: [bearer(stdout.trim())], body: '1'});
    expect((await call('GET /api/keys')).status).toBe(200);
    expect((await call('GET /api/identity')).status).toBe(200);
    expect((await call('PUT /api/store/a')).json).toMatchObject({
      permission: 'entries:write:',
      principal: 'token:backup',
    });
  });

  test('lists tokens with their permissions and ends, for programs and for people', async () => {
    const service = await startInTest();
    const none = await run(service, 'list');
    expect([none.stdout, none.stderr]).toEqual([
      '',
      'No tokens; "crewroom token create NAME --permission PERMISSION" creates one\n',
    ]);
    const {stdout: token} = await run(service, ...BACKUP, '--expires', '12h');
    await run(service, 'create', 'sync', '--permission', 'entries:write:a/', '--permission', 'identity:read');
    expect((await run(service, 'list')).stdout).toMatch(
      /^NAME +EXPIRES +PERMISSIONS\nbackup +\d.*Z +entries:read:\nsync +never +entries:write:a\/ identity:read\n$/,
    );
    const lines = (await run(service, 'list', '--json')).stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines).toEqual([
      {name: 'backup', permissions: ['entries:read:'], createdAt: expect.any(String), expiresAt: expect.any(String)},
      {name: 'sync', permissions: ['entries:write:a/', 'identity:read'], createdAt: expect.any(String)},
    ]);
    expect(Date.parse(lines[0].expiresAt) - Date.parse(lines[0].createdAt)).toBeLessThanOrEqual(12 * 3_600_000);
    expect(JSON.stringify(lines)).not.toContain(token.trim());
    const args = ['token', 'list', '--port', String(service.port), '--data-dir', service.dataDir];
    const {stdout} = await machine.runOnTerminal(args, {columns: 100});
    expect(stdout).toMatch(/NAME +EXPIRES +PERMISSIONS/);
    expect(stdout).toContain('"crewroom token revoke NAME" ends one');
    expect(stdout).toMatch(/sync +never +entries:write:a\/ identity:read/);
  });

  test('revokes a token', async () => {
    const service = await startInTest();
    const token = (await run(service, ...BACKUP)).stdout.trim();
    expect((await run(service, 'revoke', 'backup')).exitCode).toBe(0);
    expect((await callService(service, 'GET /livez', {headers: [bearer(token)]})).status).toBe(401);
    const {stderr, exitCode} = await run(service, 'revoke', 'backup');
    expect([stderr, exitCode]).toEqual([expect.stringContaining('no token has this name'), 3]);
  });

  test('needs the file of the owner', async () => {
    const {port} = await startInTest();
    const {stdout, stderr, exitCode} = await run({port, dataDir: '/none'}, ...BACKUP);
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr).toContain('/none/owner-token');
  });

  const service = {port: 1, dataDir: '/none'};
  const wrong = [
    {args: ['create', 'a'], said: 'create needs --permission PERMISSION'},
    {args: ['create', '--permission', 'admin'], said: 'create needs a NAME'},
    {args: [...BACKUP, '--expires', 'soon'], said: '--expires has to be a time such as'},
    {args: [...BACKUP, '--expires', '999999999999d'], said: '--expires has to be a time such as'},
    {args: ['revoke'], said: 'revoke needs a NAME'},
    {args: ['list', 'a'], said: 'list takes no NAME'},
    {args: ['show'], said: 'create, list or revoke'},
  ];
  for (const {args, said} of wrong)
    test(`refuses ${args.join(' ')}`, async () => {
      const {stdout, stderr, exitCode} = await run(service, ...args);
      expect([stdout, exitCode]).toEqual(['', 2]);
      expect(stderr).toContain(said);
    });

  test('names every permission that is wrong', async () => {
    const one = await startInTest();
    const {stderr, exitCode} = await run(one, ...BACKUP, '--permission', 'entries:read:com.a', '--permission', 'root');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('$.permissions[1] has a prefix that does not end in "/"');
    expect(stderr).toContain('$.permissions[2] is not one of identity:read');
  });
});
