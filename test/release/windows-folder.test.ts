import {copyFile, cp, link, mkdir, readdir, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {findFreePort} from '../support/free-port.ts';
import {createUser, onDriveZ, until, untilServing} from '../windows/machine.ts';
import {get, nodeOfBackground, put, withoutLicence, writePlugin} from './files.ts';

const user = await createUser();
const {app} = user.windows;

/** Returns name, size and time of each file in a folder. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, {recursive: true});
  return Promise.all(
    names.sort().map(async name => {
      const {size, mtimeMs} = await stat(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}

describe('the folder for Windows, in a folder with spaces and umlauts, under Wine', () => {
  test('starts by its starter, keeps a store on disk, runs backgrounds with its own Node, and writes nothing into itself', async () => {
    expect(await withoutLicence(app)).toEqual([]);
    const before = await listFiles(app);
    await writePlugin(user.file('mein plugin'));
    const port = String(await findFreePort());
    const url = `http://127.0.0.1:${port}`;
    const starter = (...words: readonly string[]) => user.spawnProgram([onDriveZ(join(app, 'crewroom.cmd')), ...words]);
    const version = await (await starter('--version')).finished;
    expect(version.stdout, version.stderr).toContain(VERSION);
    const words = ['start', '--port', port, '--dev-plugin', 'mein plugin'];
    const first = await starter(...words);
    await untilServing(url, first);
    expect(await put(url, '1.0')).toBe(200);
    await expect.poll(() => nodeOfBackground(url)).toBe(onDriveZ(join(app, 'node.exe')));
    expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html');
    const stopped = await user.run(['stop', '--port', port]);
    expect(stopped, stopped.stderr).toMatchObject({exitCode: 0});
    await first.finished;
    const second = await starter(...words);
    await untilServing(url, second);
    expect(await get(url)).toBe('1.0');
    await user.run(['stop', '--port', port]);
    await second.finished;
    expect(await listFiles(app)).toEqual(before);
  });

  test('an old one beside it, in a folder with %, does not open the same store', async () => {
    const old = join(app, '..', '100% %TEMP% alt');
    await cp(app, old, {recursive: true});
    const [, script = ''] = user.crewroom;
    const words = [join(old, 'node.exe'), script.replace(onDriveZ(app), onDriveZ(old))];
    const port = String(await findFreePort());
    const data = ['--data-dir', `${user.home}\\geteilt`];
    const running = await user.spawnProgram([...words, 'start', '--port', port, ...data]);
    await untilServing(`http://127.0.0.1:${port}`, running);
    const refused = await user.run(['start', '--port', String(await findFreePort()), ...data]);
    expect(refused.exitCode, refused.stderr).not.toBe(0);
    expect(refused.stderr).toMatch(/process \d+/);
    const stopped = await user.run(['stop', '--port', port, ...data]);
    expect(stopped, stopped.stderr).toMatchObject({exitCode: 0});
    await running.finished;
    const next = await user.start(data);
    await next.kill();
  });

  test('lets one of two starts at once have the store', async () => {
    const data = ['--data-dir', `${user.home}\\umkämpft`];
    const both = await Promise.allSettled([1, 2].map(() => user.start(data)));
    const started = both.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
    expect(started).toHaveLength(1);
    for (const each of started) await each.kill();
  });

  test('the entry of the start menu notices a program that crashed, whose exit code is negative', async () => {
    const starter = 'crewroom-console.cmd';
    const main = user.file('crashing', 'node_modules', 'crewroom', 'dist', 'cli', 'main.js');
    await mkdir(join(main, '..'), {recursive: true});
    await copyFile(join(app, starter), user.file('crashing', starter));
    await link(join(app, 'node.exe'), user.file('crashing', 'node.exe'));
    // What Windows gives a program that read memory that is not its own.
    await writeFile(main, 'console.log(process.argv.slice(2).join(" ")); process.exit(-1_073_741_819);');
    const menu = user.spawnInTerminal([`${user.home}\\crashing\\${starter}`]);
    await until(() => /press .*key/i.test(menu.said()), menu.said);
    expect(menu.said()).toMatch(/start --detached[\s\S]*console/);
    menu.type('\r');
    await menu.finished;
  });
});
