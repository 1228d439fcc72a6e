import assert from 'node:assert/strict';
import {beforeEach, describe, test} from 'vitest';
import {useService} from '../support/service.ts';
import {createMachine, type Finished, plain} from './crewroom.ts';

const machine = await createMachine();
const service = useService({ephemeral: true});
beforeEach(() => fetch(`${service().url}/api/keys?prefix=&all=true`, {method: 'DELETE'}));

function run(...args: readonly string[]): Promise<Finished> {
  return machine.run(args, {environment: {CREWROOM_PORT: String(service().port)}});
}

function runOnTerminal(...args: readonly string[]): Promise<Finished> {
  return machine.runOnTerminal(args, {environment: {CREWROOM_PORT: String(service().port)}});
}

/** How long an entry lives by the answer of the service, in seconds; NaN for ever. */
async function lifeOf(key: string): Promise<number> {
  const {headers} = await fetch(`${service().url}/api/store/${key}`);
  const lifeMs = Date.parse(headers.get('expires-at') ?? '') - Date.parse(headers.get('updated-at') ?? '');
  return Math.round(lifeMs / 1000);
}

describe('a time to live on the command line', () => {
  const times = [
    {text: '1', seconds: 1},
    {text: '90s', seconds: 90},
    {text: '15m', seconds: 900},
    {text: '12h', seconds: 43_200},
    {text: '3650d', seconds: 315_360_000},
  ];
  for (const {text, seconds} of times) {
    test(`can be ${text}`, async () => {
      assert.equal((await run('put', 'k', '1', '--ttl', text)).exitCode, 0);
      assert.equal(await lifeOf('k'), seconds);
    });
  }

  test('is removed by a put without one, and changed by a touch', async () => {
    await run('put', 'k', '{"a": 1.0}', '--ttl', '60');
    assert.deepEqual(JSON.parse((await run('touch', 'k', '--ttl', '1h', '--json')).stdout).key, 'k');
    assert.equal(await lifeOf('k'), 3600);
    assert.equal((await run('touch', 'k', '--forever')).exitCode, 0);
    assert.equal(await lifeOf('k'), NaN);
    assert.equal((await run('get', 'k')).stdout, '{"a": 1.0}');
    await run('touch', 'k', '--ttl', '60');
    await run('put', 'k', '2');
    assert.equal(await lifeOf('k'), NaN);
  });

  test('cannot be touched where there is no entry, with exit code 3', async () => {
    const {exitCode, stderr} = await run('touch', 'k', '--ttl', '60');
    assert.equal(exitCode, 3);
    assert.match(stderr, /^crewroom: Cannot find "k": no entry has this key\n/);
  });

  test('is printed for programs if there is one', async () => {
    await run('put', 'a', '1', '--ttl', '60');
    await run('put', 'b', '1');
    const expiresAt = (await fetch(`${service().url}/api/store/a`)).headers.get('expires-at');
    assert.equal(JSON.parse((await run('get', 'a', '--json')).stdout).expiresAt, expiresAt);
    const listed = (await run('list', '--json')).stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      listed.map(({key, expiresAt: told}) => [key, told]),
      [
        ['a', expiresAt],
        ['b', undefined],
      ],
    );
  });

  test.runIf(process.platform === 'linux')('is a column for people, if any entry has one', async () => {
    await run('put', 'b', '1');
    assert.match(plain((await runOnTerminal('list')).stdout), /^KEY +REVISION +SIZE +UPDATED\nb .*Z\n$/);
    await run('put', 'a', '1', '--ttl', '60');
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
    assert.match(
      plain((await runOnTerminal('list')).stdout),
      new RegExp(`^KEY +REVISION +SIZE +UPDATED +EXPIRES\\na +\\d+ +1 B +${time}  ${time}\\nb .*Z {2}never\\n$`),
    );
  });

  test.runIf(process.platform === 'linux')('has a head where the columns of a long list change', async () => {
    const keys = Array.from({length: 2100}, (_, index) => `k${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 700) {
      const operations = keys.slice(start, start + 700).map(key => ({kind: 'put', key, value: 1}));
      const body = JSON.stringify({operations});
      assert.ok((await fetch(`${service().url}/api/transactions`, {method: 'POST', body})).ok);
    }
    await run('touch', 'k1500', '--ttl', '60');
    const lines = plain((await runOnTerminal('list')).stdout)
      .trimEnd()
      .split('\n');
    const heads = lines.flatMap((line, index) => (line.startsWith('KEY') ? [index] : []));
    assert.deepEqual(heads, [0, 1001, 2002]);
    assert.equal(lines[1]?.indexOf('1 B'), lines[0]?.indexOf('SIZE'), 'columns stand under their head');
  });

  test.runIf(process.platform === 'linux')('is confirmed to people', async () => {
    await run('put', 'k', '1');
    assert.match(
      (await runOnTerminal('touch', 'k', '--ttl', '90')).stdout,
      /^Touched at revision \d+: it expires in 90s\r\n$/,
    );
    assert.match(
      (await runOnTerminal('touch', 'k', '--forever')).stdout,
      /^Touched at revision \d+: it does not expire\r\n$/,
    );
  });
});

describe('crewroom reset', () => {
  test('deletes every entry, page after page, and says how many', async () => {
    const operations = Array.from({length: 1000}, (_, index) => ({kind: 'put', key: `k${index}`, value: 1}));
    await fetch(`${service().url}/api/transactions`, {method: 'POST', body: JSON.stringify({operations})});
    await run('put', 'z', '1');
    await run('put', 'y', '1', '--ttl', '60');
    assert.deepEqual(await run('reset', '--yes', '--json'), {
      exitCode: 0,
      signal: null,
      stdout: '{"dryRun":false,"deleted":1002}\n',
      stderr: '',
    });
    assert.equal((await run('list')).stdout, '');
    assert.equal((await run('reset', '--yes', '--json')).stdout, '{"dryRun":false,"deleted":0}\n');
  });

  test('deletes nothing if the user cannot be asked', async () => {
    await run('put', 'k', '1');
    assert.equal((await run('reset')).exitCode, 2);
    assert.match((await run('list')).stdout, /^k +\d+ /m);
  });

  test.runIf(process.platform === 'linux')('asks on a terminal', async () => {
    await run('put', 'k', '1');
    for (const {text, exitCode, said, left} of [
      {text: 'n\n', exitCode: 1, said: /Nothing was deleted\n$/, left: /^k +\d+ /m},
      {text: 'y\n', exitCode: 0, said: /Deleted 1 entry\n$/, left: /^$/},
    ]) {
      const running = machine.spawnOnTerminal(['reset', '--port', String(service().port)]);
      await running.until(({stdout}) => stdout.includes('[y/N]'));
      running.child.stdin.write(text);
      const finished = await running.finished;
      assert.match(finished.stdout, /^Delete 1 entry: all entries\? \[y\/N\] /);
      assert.match(plain(finished.stdout), said);
      assert.equal(finished.exitCode, exitCode);
      assert.match((await run('list')).stdout, left);
    }
  });
});
