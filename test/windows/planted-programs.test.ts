import {readdirSync} from 'node:fs';
import {copyFile, mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, expect, test, vi} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {createUser, onDriveZ, runningPrograms, until, untilServing} from './machine.ts';

const user = await createUser();

/** Programs that lie in every folder in which a command is run here. Windows looks there first for a program without a path. */
const PLANTED = ['clip', 'cmd', 'conhost', 'git', 'notepad', 'powershell', 'reg', 'rundll32', 'taskkill', 'where'];

beforeAll(async () => {
  await mkdir(user.file('clone', '.git'), {recursive: true});
  for (const folder of [user.file(), user.file('clone')])
    for (const name of PLANTED) await copyFile(join(user.windows.programs, 'planted.exe'), join(folder, `${name}.exe`));
  await writeFile(user.file('clone', 'plugin.json'), '{"id": "com.example.a", "name": "A", "version": "1.0.0"}');
  await writeFile(user.file('clone', 'index.html'), '');
});

/** Returns the planted programs that have run. */
function ran(): readonly string[] {
  return readdirSync(user.file(), {recursive: true, encoding: 'utf8'}).filter(name => name.endsWith('.ran'));
}

describe('a program in the working folder is not taken for one of the system', () => {
  test('planted programs that run leave a trace', async () => {
    const {finished} = await user.spawnProgram([`${user.home}\\where.exe`]);
    await finished;
    expect(ran()).toEqual(['where.exe.ran']);
  });

  test('by the keys of a service: "o" opens the console as the owner', async () => {
    const port = await findFreePort();
    const service = user.spawnInTerminal([...user.crewroom, 'start', '--port', String(port), '--ephemeral']);
    await untilServing(`http://127.0.0.1:${port}`, service);
    await until(() => service.said().includes('Press h'), service.said);
    service.type('o');
    await until(() => /Opened |Cannot open/.test(service.said()), service.said);
    service.type('q');
    await service.finished;
    expect(ran()).toEqual(['where.exe.ran']);
  });

  test('by "edit" without an editor of the user', async () => {
    for (const name of ['VISUAL', 'EDITOR']) vi.stubEnv(name, undefined);
    const service = await user.start(['--ephemeral']);
    const editing = user.spawnInTerminal([...user.crewroom, 'edit', 'key', '--port', String(service.port)]);
    // Wine's own editor has no display here: it stays, or ends at once.
    const isEditing = (): boolean => runningPrograms(user.windows).some(line => /^\S*\bnotepad\.exe/i.test(line));
    await Promise.race([editing.finished, until(isEditing, editing.said)]);
    editing.child.kill('SIGKILL');
    await service.kill();
    expect(ran()).toEqual(['where.exe.ran']);
  });

  test('by "dev" that ends the command beside it', async () => {
    const port = await findFreePort();
    const wait = [onDriveZ(user.windows.node), '-e', 'setTimeout(() => {}, 20000)'];
    const dev = user.spawnInTerminal([...user.crewroom, 'dev', 'clone', '--port', String(port), '--', ...wait]);
    await untilServing(`http://127.0.0.1:${port}`, dev);
    await until(() => dev.said().includes('Press h'), dev.said);
    dev.type('q');
    await dev.finished;
    expect(ran()).toEqual(['where.exe.ran']);
  });

  test('by "service status", which asks the registry, and by "plugin adopt", which asks git', async () => {
    await user.run(['service', 'status']);
    await user.run(['plugin', 'adopt', 'clone']);
    expect(ran()).toEqual(['where.exe.ran']);
  });
});
