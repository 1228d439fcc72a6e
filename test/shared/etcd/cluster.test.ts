import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {test} from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../scripts/cluster.js', import.meta.url));

test('npm run cluster starts services that share their entries while members die, and leaves nothing after Ctrl-C', async () => {
  const home = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  const {CREWROOM_STORE: _, ...environment} = process.env;
  const child = spawn(process.execPath, [SCRIPT], {
    env: {...environment, TMPDIR: home, HOME: home},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  const processes = (): readonly number[] =>
    printed.flatMap(line => / process (\d+)$/.exec(line)?.slice(1) ?? []).map(Number);
  try {
    for await (const line of createInterface({input: child.stdout})) {
      printed.push(line);
      if (line.includes('Ctrl-C')) break;
    }
    const [first, second] = printed.flatMap(line => /http:\/\/localhost:\d+/.exec(line)?.[0] ?? []);
    assert.equal(processes().length, 5, printed.join('\n'));
    const ports = [first, second].map(address => new URL(address ?? '').port);
    assert.deepEqual(printed.slice(-4, -1), [
      'Next, in another terminal: write an entry with one service, and read it with the other',
      `  npx crewroom put --port ${ports[0]} greeting '"hello"'`,
      `  npx crewroom get --port ${ports[1]} greeting`,
    ]);
    const [member] = processes() as [number];
    for (const value of ['"before"', '"after"']) {
      await writeUntilWritten(`${first}/api/store/shared`, value);
      assert.equal(await (await fetch(`${second}/api/store/shared`)).text(), value);
      if (value === '"before"') process.kill(member, 'SIGKILL');
    }
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(processes().filter(isRunning), []);
    assert.deepEqual(
      (await readdir(home)).filter(name => name.startsWith('crewroom')),
      [],
    );
  } finally {
    // Only if an assertion failed: the processes of the cluster are not children of this one.
    for (const processId of processes().filter(isRunning)) process.kill(processId, 'SIGKILL');
    child.kill('SIGKILL');
    await rm(home, {recursive: true, force: true});
  }
});

/** Writes again while there is no leader. */
async function writeUntilWritten(address: string, value: string): Promise<void> {
  for (let attempt = 1; attempt <= 30; attempt++) {
    const answer = await fetch(address, {method: 'PUT', body: value});
    await answer.text();
    assert.match(String(answer.status), /^(?:20[01]|50[34])$/);
    if (answer.ok) return;
  }
  assert.fail('no write was acknowledged');
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
