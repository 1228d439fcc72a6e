import {describe, expect, test} from 'vitest';
import {callAs, startCallers} from '../support/access-callers.ts';
import {startInTest, type TestService} from '../support/service.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

function argsOf({port, dataDir}: TestService, args: readonly string[]): readonly string[] {
  return ['access', ...args, '--port', String(port), '--data-dir', dataDir];
}

function run(service: TestService, ...args: readonly string[]) {
  return machine.run(argsOf(service, args));
}

describe('crewroom access', () => {
  test('gives permissions, lists them for programs and for people, and takes them back', async () => {
    const service = await startInTest({access: 'attributed'});
    const none = await run(service, 'list');
    expect([none.stdout, none.stderr.split(';')[0]]).toEqual(['', 'No permissions beside those of every plugin']);
    const granted = await run(service, 'grant', 'com.a', 'identity:secrets', 'entries:read:com.b/');
    expect([granted.stdout, granted.stderr, granted.exitCode]).toEqual(['', '', 0]);
    await run(service, 'grant', 'com.b', 'admin');
    expect((await run(service, 'list')).stdout).toBe(
      'PLUGIN  PERMISSIONS\ncom.a   identity:secrets entries:read:com.b/\ncom.b   admin\n',
    );
    expect((await run(service, 'list', 'com.b', '--json')).stdout).toBe('{"plugin":"com.b","permissions":["admin"]}\n');
    const people = await machine.runOnTerminal(argsOf(service, ['list']), {columns: 100});
    expect(people.stdout).toMatch(/PLUGIN +PERMISSIONS.*?com\.a +identity:secrets entries:read:com\.b\//s);
    const {stdout} = await run(service, 'revoke', 'com.a', 'identity:secrets', '--json');
    expect(stdout).toBe('{"dryRun":false,"plugin":"com.a","permissions":["entries:read:com.b/"]}\n');
    await run(service, 'revoke', 'com.a');
    expect((await run(service, 'list')).stdout).toBe('PLUGIN  PERMISSIONS\ncom.b   admin\n');
  });

  test('says on a terminal what the plugin may do now, and that it changes nothing in the mode open', async () => {
    const service = await startInTest();
    const granted = await machine.runOnTerminal(argsOf(service, ['grant', 'com.a', 'admin']));
    expect(granted.stdout).toContain('Granted. Permissions of com.a: admin. The service runs with --access open');
    const revoked = await machine.runOnTerminal(argsOf(service, ['revoke', 'com.a']));
    expect(revoked.stdout).toContain('Revoked all permissions. Permissions of com.a: none beside its own');
  });

  test('proposes no permission whose name is more than one word, or that a shell would run', async () => {
    const service = await startCallers('attributed');
    const keys = [' admin identity:secrets entries:read:x/y', 'x;{touch,pwned};/y', '$(id)/y'];
    for (const key of keys) await callAs(service, 'page', {line: `GET /api/store/${encodeURIComponent(key)}`});
    const only = await machine.runOnTerminal(argsOf(service, ['refused']), {columns: 160});
    expect(only.stdout).toContain('Permissions that are no plain words are not proposed');
    expect(only.stdout).not.toContain('crewroom access grant');
    await callAs(service, 'page', {line: 'GET /api/flight'});
    const {stdout} = await machine.runOnTerminal(argsOf(service, ['refused']), {columns: 160});
    const [, proposed] = /(crewroom access grant [^\r\n]*)/.exec(stdout) ?? [];
    expect(proposed?.trimEnd()).toBe('crewroom access grant com.a plugins:manage');
    expect(stdout).toContain('Permissions that are no plain words are not proposed');
  });

  test('lists what plugins were refused, and for people the command that gives each plugin what it lacked', async () => {
    const service = await startCallers('attributed');
    for (const line of ['GET /api/flight', 'GET /api/store/com.b%2Fx']) await callAs(service, 'page', {line});
    expect((await run(service, 'refused')).stdout.replace(/ +/g, ' ')).toBe(
      'PLUGIN REFUSED TIMES PERMISSION\n' +
        'com.a GET /api/store/com.b%2Fx 1 entries:read:com.b/\ncom.a GET /api/flight 1 plugins:manage\n',
    );
    expect(JSON.parse((await run(service, 'refused', 'com.a', '--json')).stdout.split('\n')[0] ?? '')).toMatchObject({
      plugin: 'com.a',
      permission: 'entries:read:com.b/',
    });
    expect((await run(service, 'refused', 'com.b')).stdout).toBe('');
    await callAs(service, 'page', {line: 'GET /api/identity'});
    const [, identity = ''] = (await run(service, 'refused')).stdout.replace(/ +/g, ' ').split('\n');
    expect(identity).toBe('com.a GET /api/identity (answered without secrets) 1 identity:secrets');
    const people = await machine.runOnTerminal(argsOf(service, ['refused']), {columns: 140});
    expect(people.stdout).toContain('crewroom access grant com.a identity:secrets entries:read:com.b/ plugins:manage');
    await run(service, 'grant', 'com.a', 'identity:secrets', 'entries:read:com.b/', 'plugins:manage');
    expect((await machine.runOnTerminal(argsOf(service, ['refused']))).stdout).toContain('Nothing was refused');
  });

  const wrong: readonly {readonly args: readonly string[]; readonly exitCode: number; readonly said: RegExp}[] = [
    {args: ['give'], exitCode: 2, said: /list, refused, grant or revoke/},
    {args: ['grant', 'com.a'], exitCode: 2, said: /grant needs a PERMISSION, at least one/},
    {args: ['revoke'], exitCode: 2, said: /revoke needs the ID of a plugin/},
    {args: ['list', 'com.a', 'admin'], exitCode: 2, said: /list takes no PERMISSION/},
    {args: ['grant', 'com.a', 'root'], exitCode: 2, said: /"\$\.permissions\[0\]"|\$\.permissions\[0\] is not one of/},
    {args: ['grant', 'com.a', 'entries:read:com.b'], exitCode: 2, said: /does not end in "\/"/},
    {args: ['revoke', 'com.a', 'admin'], exitCode: 3, said: /was not given "admin"/},
  ];
  test('refuses what it does not understand', async () => {
    const service = await startInTest();
    for (const {args, exitCode, said} of wrong) {
      const refused = await run(service, ...args);
      expect(refused.stderr, args.join(' ')).toMatch(said);
      expect(refused.exitCode, args.join(' ')).toBe(exitCode);
    }
    const none = await run(service, 'list');
    expect([none.stdout, none.stderr.split(';')[0]]).toEqual(['', 'No permissions beside those of every plugin']);
  });
});
