import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {describe, expect, onTestFinished, test} from 'vitest';

const MODULE = new URL('./exit-limit.ts', import.meta.url).href;

/** Runs a process that limits itself and then runs some code. */
async function runLimited(code: string, {timeoutMs = 200} = {}) {
  const program = `
    import {open} from 'node:fs';
    import {limitExit} from ${JSON.stringify(MODULE)};
    const lift = limitExit({
      ...{node: process.execPath, processId: process.pid, timeoutMs: ${timeoutMs}, lastWord: 'it was killed'},
      exit: () => {
        process.stderr.write('it is late\\n');
        process.exit(1);
      },
    });
    ${code}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // To the end of the watcher too, which has the same stream.
  const [said, [exitCode, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return {said, exitCode, signal};
}

describe('a process whose end has a limit', () => {
  test('ends with a message and exit code 1 if it waits', async () => {
    const ended = await runLimited('setInterval(() => {}, 1000);');
    expect(ended).toEqual({said: 'it is late\n', exitCode: 1, signal: null});
  });

  test('ends as usual once the limit is lifted, and its watcher ends too', async () => {
    const ended = await runLimited('lift(); process.exitCode = 3;', {timeoutMs: 600_000});
    expect(ended).toEqual({said: '', exitCode: 3, signal: null});
  });

  test('ends as usual without lifting it, and its watcher ends too', async () => {
    const ended = await runLimited('process.exitCode = 3;', {timeoutMs: 600_000});
    expect(ended).toEqual({said: '', exitCode: 3, signal: null});
  });

  test.skipIf(process.platform === 'win32')('is killed if its event loop is blocked', async () => {
    const ended = await runLimited('for (;;);');
    expect(ended).toEqual({said: 'it was killed\n', exitCode: null, signal: 'SIGKILL'});
  });

  test.skipIf(process.platform === 'win32')(
    'is killed if a thread waits in a call of the operating system',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'crewroom-pipe-'));
      onTestFinished(() => rmSync(directory, {recursive: true}));
      const pipe = join(directory, 'pipe');
      spawnSync('mkfifo', [pipe]);
      const ended = await runLimited(`open(${JSON.stringify(pipe)}, 'r', () => {});`);
      expect(ended).toEqual({said: 'it is late\nit was killed\n', exitCode: null, signal: 'SIGKILL'});
    },
  );
});
