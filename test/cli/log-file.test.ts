import {chown, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {IS_WINDOWS, shownMode} from '../support/platform.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

async function readLines(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

describe('crewroom start --log-file', () => {
  test('appends the log to the file too, with start and end, and keeps it from other users', async () => {
    const path = join(home, 'crewroom.log');
    const args = ['--data-dir', join(home, 'logged'), '--log-file', path];
    const service = await machine.start(args);
    await fetch(`${service.url}/api/identity`, {headers: {Origin: 'http://foreign.example'}});
    const {stderr} = await service.stop();
    await (await machine.start(args)).stop();
    const lines = await readLines(path);
    const round = ['started', 'stopping', 'stopped'];
    expect(lines.map(({message}) => message).filter(message => round.includes(String(message)))).toEqual([
      ...round,
      ...round,
    ]);
    expect(lines.find(({code}) => code === 'foreign-page')).toBeDefined();
    const printed = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).message);
    expect(lines.slice(0, printed.length).map(({message}) => message)).toEqual(printed);
    expect((await stat(path)).mode & 0o777).toBe(shownMode(0o600));
  });

  test.skipIf(IS_WINDOWS)(
    'is the only file of the log where standard error is a file too, as for launchd',
    async () => {
      const [errors, path] = [join(home, 'errors'), join(home, 'only.log')];
      const under = ['sh', '-c', `exec "$@" 2> '${errors}'`, 'sh'];
      const args = ['start', '--port', '0', '--ephemeral', '--requests', 'all', '--log-file'];
      const service = machine.spawn([...args, path], {under});
      await expect.poll(() => readFile(path, 'utf8').catch(() => ''), {timeout: 60_000}).toContain('"started"');
      const {port} = (await readLines(path)).find(({message}) => message === 'started') ?? {};
      await fetch(`http://127.0.0.1:${port}/livez`);
      service.child.kill('SIGTERM');
      expect((await service.finished).exitCode).toBe(0);
      const messages = (await readLines(path)).map(({message}) => message);
      expect(messages).toEqual(['started', 'request', 'stopping', 'stopped']);
      expect(await readFile(errors, 'utf8')).toBe('');
      expect((await machine.spawn([...args, home], {under}).finished).exitCode).toBe(1);
      expect(await readFile(errors, 'utf8')).toContain('EISDIR');
    },
  );

  test('is a setting of the config file, from which "crewroom paths" names it', async () => {
    const config = join(home, 'with-log.json');
    const path = join(home, 'from-config.log');
    await writeFile(config, '{"logFile": "from-config.log"}');
    await (await machine.start(['--config', config, '--ephemeral'])).stop();
    expect((await readLines(path)).map(({message}) => message)).toEqual(['started', 'stopping', 'stopped']);
    const {stdout} = await machine.run(['paths', '--json', '--config', config]);
    expect(JSON.parse(stdout).logFile).toEqual({path, exists: true});
    // By default, that of the service that begins at log-on.
    expect(JSON.parse((await machine.run(['paths', '--json'])).stdout).logFile).toMatchObject({exists: false});
  });

  test('refuses a file that cannot be written, by name and before it serves', async () => {
    const path = join(home, 'a-directory');
    await mkdir(path);
    const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--port', '0', '--log-file', path]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Cannot write to ${JSON.stringify(path)}: EISDIR`);
    expect(stderr).not.toContain('started');
  });

  test.skipIf(process.getuid?.() !== 0)('run by root, refuses a file in a directory of another user', async () => {
    const directory = join(home, 'of-another-user');
    const below = join(directory, 'below');
    await mkdir(below, {recursive: true});
    await chown(directory, 65534, 65534);
    await symlink(below, join(home, 'link'));
    for (const place of [directory, below, join(home, 'link')]) {
      const path = join(place, 'crewroom.log');
      const {exitCode, stderr} = await machine.run(['start', '--ephemeral', '--port', '0', '--log-file', path]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`it is reached through ${directory}, which belongs to user 65534`);
    }
    expect([await readdir(directory), await readdir(below)]).toEqual([['below'], []]);
  });

  test('has the reason why a service did not start', async () => {
    const first = await machine.start(['--data-dir', join(home, 'held')]);
    const path = join(home, 'reason.log');
    const args = ['start', '--port', '0', '--data-dir', join(home, 'held'), '--log-file', path];
    expect((await machine.run(args)).exitCode).not.toBe(0);
    expect(await readLines(path)).toMatchObject([{level: 'error', code: 'data-directory-in-use'}]);
    await first.stop();
  });

  test('is no setting of commands that run a second service for a while', async () => {
    for (const [command, exitCode] of [
      ['dev', 2],
      ['run', 125],
    ] as const)
      expect((await machine.run([command, '--log-file', 'x', '--', 'true'])).exitCode).toBe(exitCode);
  });
});
