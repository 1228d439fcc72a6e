import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {type AddressInfo, createServer as createNetServer} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {findFreePort} from '../support/free-port.ts';
import {startService, type TestService} from '../support/service.ts';
import {createMachine, type Finished, MAIN, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
// In this process, since there is one for each test: only the commands are what users run.
let service: TestService;
beforeEach(async () => {
  service = await startService({ephemeral: true});
});
afterEach(() => service[Symbol.asyncDispose]());

/** Runs a command of the service of this test. */
function run(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return machine.run([...args.slice(0, 1), '--port', String(service.port), ...args.slice(1)], options);
}

function runOnTerminal(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return machine.runOnTerminal([...args.slice(0, 1), '--port', String(service.port), ...args.slice(1)], options);
}

describe('crewroom put and get', () => {
  const values = [
    {name: 'a text', value: '"hello"'},
    {name: 'a number that JavaScript cannot hold', value: '12345678901234567890.000'},
    {name: 'a negative number', value: '-5'},
    {name: 'members twice, in their order', value: '{"b": 1, "a": 2, "b": 3, "__proto__": {}}'},
    {name: 'several lines', value: '{\n  "a": [\n    1\n  ]\n}'},
    {name: 'text beyond ASCII', value: '"Grüße 😀"'},
  ];
  for (const {name, value} of values) {
    test(`bring back exactly what was stored: ${name}`, async () => {
      assert.deepEqual(await run(['put', 'k', value]), {exitCode: 0, signal: null, stdout: '', stderr: ''});
      assert.deepEqual(await run(['get', 'k']), {exitCode: 0, signal: null, stdout: value, stderr: ''});
    });
  }

  test('read a value from standard input or a file', async () => {
    await run(['put', 'in', '-'], {input: '{"from": "stdin"}\n'});
    assert.equal((await run(['get', 'in'])).stdout, '{"from": "stdin"}');
    await writeFile(join(home, 'value.json'), '[1, 2.0]');
    await run(['put', 'file', '@value.json']);

    assert.equal((await run(['get', 'file'])).stdout, '[1, 2.0]');
  });

  test.skipIf(process.platform === 'win32')('take a value from a pipe, which has no size', async () => {
    const pipe = join(home, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const put = run(['put', 'piped', '@pipe']);
    await writeFile(pipe, '{"from": "a pipe"}');
    assert.equal((await put).exitCode, 0);
    assert.equal((await run(['get', 'piped'])).stdout, '{"from": "a pipe"}');
    await run(['delete', 'piped']);
  });

  test.skipIf(process.platform !== 'linux')('take a value from devices: a pipe, a terminal and nothing', async () => {
    const put = ['put', 'device', '--port', String(service.port)];
    const piping = machine.spawnLineOnTerminal(
      `printf '[1]' | '${process.execPath}' '${MAIN}' ${put.join(' ')} @/dev/stdin`,
    );
    assert.equal((await piping.finished).exitCode, 0);
    assert.equal((await run(['get', 'device'])).stdout, '[1]');
    const typing = machine.spawnOnTerminal([...put, '@/dev/tty']);
    typing.child.stdin.write('[2]\n\u0004');
    assert.equal((await typing.finished).exitCode, 0);
    assert.equal((await run(['get', 'device'])).stdout, '[2]');
    assert.match((await run(['put', 'device', '@/dev/null'])).stderr, /Cannot read the value as JSON/);
    await run(['delete', 'device']);
  });

  const keys = ['a/b', '-k', '--help', '__proto__', 'ä ö', '%2F', 'a?b#c', '\\'];
  test('accept any key, after -- also those that look like flags', async () => {
    for (const key of keys) {
      const {stdout} = await run(['put', '--json', '--', key, '1']);
      assert.equal((JSON.parse(stdout) as {key: string}).key, key);
      assert.equal((await run(['get', '--', key])).stdout, '1', key);
    }
    assert.deepEqual((await listKeys()).toSorted(), [...keys].sort());
  });

  test('print their results as JSON', async () => {
    const created = JSON.parse((await run(['put', 'k', '1', '--json'])).stdout);
    assert.match(created.etag, /^"[0-9a-f]{16}-1"$/);
    assert.deepEqual(created, {key: 'k', revision: '1', etag: created.etag, created: true});
    const replaced = JSON.parse((await run(['put', 'k', '[1,\n2.0]', '--json'])).stdout);
    assert.deepEqual(replaced, {key: 'k', revision: '2', etag: replaced.etag, created: false});
    const {stdout} = await run(['get', 'k', '--json']);
    assert.match(
      stdout,
      /^\{"key":"k","revision":"2","etag":"\\"[0-9a-f]{16}-2\\"","sizeBytes":8,"updatedAt":"[^"]+Z","writtenBy":"owner","value":\[1, 2\.0\]\}\n$/,
    );
  });

  test('fail if the condition does not hold, with exit code 4', async () => {
    await run(['put', 'k', '1']);
    const absent = await run(['put', 'k', '2', '--if-absent']);
    assert.equal(absent.exitCode, 4);
    assert.match(absent.stderr, /^crewroom: Cannot change "k": expected no entry, found revision 1\n/);
    const stale = await run(['put', 'k', '2', '--if-match', '7', '--json']);
    assert.equal(stale.exitCode, 4);
    const {conflicts} = JSON.parse(stale.stderr) as {conflicts: readonly {readonly etag: string}[]};
    const [{etag} = assert.fail()] = conflicts;
    assert.deepEqual(conflicts, [{key: 'k', expected: '7', actual: '1', etag}]);
    assert.equal((await run(['put', 'k', '2', '--if-match', etag])).exitCode, 0, 'an ETag may come with its quotes');
    assert.equal((await run(['get', 'k'])).stdout, '2');
  });

  const failures = [
    {
      name: 'a key without an entry',
      args: ['get', 'none'],
      exitCode: 3,
      said: /no entry has this key\n.*crewroom list/,
    },
    {name: 'a key that cannot be one', args: ['get', '..'], exitCode: 2, said: /Cannot use the key "\.\."/},
    {name: 'a text without its quotes', args: ['put', 'k', 'hello'], exitCode: 2, said: /'"hello"'/},
    {name: 'a text with both quotes', args: ['put', 'k', `it's`], exitCode: 2, said: /'"hello"'/},
    {name: 'an empty value', args: ['put', 'k', ''], exitCode: 2, said: /Cannot read the value as JSON/},
    {
      name: 'a file that is not there',
      args: ['put', 'k', '@nowhere'],
      exitCode: 3,
      said: /Cannot read "nowhere": there is no such file/,
    },
    {name: 'a file that is a directory', args: ['put', 'k', '@.'], exitCode: 2, said: /it is a directory/},
    {
      name: 'a device without an end',
      args: ['put', 'k', '@/dev/zero'],
      exitCode: 2,
      said: /it is larger than 268435456 bytes/,
    },
    {name: 'a file without a name', args: ['put', 'k', '@'], exitCode: 2, said: /no name follows the "@"/},
  ];
  for (const {name, args, exitCode, said} of failures) {
    test(`refuse with exit code ${exitCode}: ${name}`, async () => {
      const failed = await run(args);
      assert.equal(failed.exitCode, exitCode);
      assert.equal(failed.stdout, '');
      assert.match(failed.stderr, said);
    });
  }

  test('refuse a value that is too large, with exit code 1', async () => {
    const {exitCode, stderr} = await run(['put', 'k', '-'], {input: `"${'x'.repeat(1024 * 1024)}"`});
    assert.equal(exitCode, 1);
    assert.match(stderr, /larger than 1048576 bytes/);
  });

  test.runIf(process.platform === 'linux')('talk on a terminal, and end a value with a line break there', async () => {
    assert.match(
      (await runOnTerminal(['put', 'k', '1'])).stdout,
      /^Created at revision 1\r\nTo undo this: crewroom delete .*\r\n$/,
    );
    assert.match(
      (await runOnTerminal(['put', 'k', '1'])).stdout,
      /^Replaced at revision 2\r\nTo undo this: crewroom restore .*\r\n$/,
    );
    assert.equal((await runOnTerminal(['get', 'k'])).stdout, '1\r\n');
  });
});

describe.runIf(process.platform === 'linux')('the table of crewroom list', () => {
  test('lines its columns up where characters take two cells', async () => {
    await run(['put', 'wide/航班', '1']);
    await run(['put', 'wide/abcd', '1']);
    const lines = plain((await runOnTerminal(['list', 'wide/'], {columns: 100})).stdout).split('\n');
    assert.match(lines[0] ?? '', /^KEY {8}REVISION/);
    assert.match(lines[1] ?? '', /^wide\/abcd {2}\d/);
    assert.match(lines[2] ?? '', /^wide\/航班 {2}\d/);
  });

  test('breaks no word where the terminal is too narrow for it', async () => {
    await run(['put', 'narrow/a-key-of-some-length', '1']);
    const {stdout} = await runOnTerminal(['list', 'narrow/'], {columns: 60});
    const lines = plain(stdout).trimEnd().split('\n');
    assert.equal(lines[0], 'narrow/a-key-of-some-length');
    assert.match(lines[3] ?? '', /^ {2}UPDATED {3}\d{4}-.*Z$/);
    assert.ok(lines.every(each => each.length <= 60));
  });
});

describe('crewroom patch', () => {
  test('changes what it names, and leaves the text of everything else', async () => {
    await run(['put', 'k', '{"id": 12345678901234567890, "volume": 1.0, "old": 1}']);
    assert.deepEqual(await run(['patch', 'k', '{"old": null, "new": {"a": [-0]}}']), {
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    assert.equal((await run(['get', 'k'])).stdout, '{"id": 12345678901234567890, "volume": 1.0, "new": {"a": [-0]}}');
  });

  test('reads a patch from standard input or a file, and creates a missing entry', async () => {
    await run(['patch', 'k', '-'], {input: '{"a": 1}\n'});
    await writeFile(join(home, 'patch.json'), '{"b": 2.0}');
    await run(['patch', 'k', '@patch.json']);
    assert.equal((await run(['get', 'k'])).stdout, '{"a": 1,"b": 2.0}');
  });

  test('prints its result as JSON, and changes an entry only if it is as expected', async () => {
    assert.match(
      (await run(['patch', 'k', '{}', '--json'])).stdout,
      /^\{"key":"k","revision":"1","etag":"[^,]+-1\\""\}\n$/,
    );
    const stale = await run(['patch', 'k', '{"a": 1}', '--if-match', '7']);
    assert.equal(stale.exitCode, 4);
    assert.match(stale.stderr, /^crewroom: Cannot change "k": expected revision 7, found revision 1\n/);
    assert.equal((await run(['patch', 'k', '{"a": 1}', '--if-match', '1'])).exitCode, 0);
  });

  test('refuses a value that is not JSON, and a revision that is not a number, with exit code 2', async () => {
    assert.match(
      (await run(['patch', 'k', '{a: 1}'])).stderr,
      /^crewroom: Cannot read the value as JSON.*\nCorrect the text there/,
    );
    for (const args of [
      ['patch', 'k', '{a: 1}'],
      ['patch', 'k', '{}', '--if-match', 'x'],
    ])
      assert.equal((await run(args)).exitCode, 2);
  });

  test.runIf(process.platform === 'linux')('talks on a terminal', async () => {
    assert.match(
      (await runOnTerminal(['patch', 'k', '{}'])).stdout,
      /^Patched at revision 1\r\nTo undo this: crewroom delete .*\r\n$/,
    );
  });
});

/** Runs `crewroom list` as a program does. @returns The keys. */
async function listKeys(...args: readonly string[]): Promise<readonly string[]> {
  const {stdout} = await run(['list', '--json', ...args]);
  const lines = stdout.split('\n').filter(line => line !== '');
  return lines.map(line => (JSON.parse(line) as {readonly key: string}).key);
}

describe('crewroom list', () => {
  async function fill(keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map((key, index) => fetch(`${service.url}/api/store/${key}`, {method: 'PUT', body: `[${index},\n1.0]`})),
    );
  }

  test('prints entries in the order and direction of their keys', async () => {
    await fill(['b1', 'a2', 'a1', 'c1']);
    assert.deepEqual(await listKeys(), ['a1', 'a2', 'b1', 'c1']);
    assert.deepEqual(await listKeys('a'), ['a1', 'a2']);
    assert.deepEqual(await listKeys('--reverse', '--limit', '2'), ['c1', 'b1']);
    assert.deepEqual(await listKeys('--after', 'a2'), ['b1', 'c1']);
  });

  test('prints a table into a pipe too, and says if there is nothing to list', async () => {
    await fill(['a']);
    assert.match((await run(['list'])).stdout, /^KEY +REVISION +SIZE +UPDATED\na +1 +8 B +\d{4}-.*Z\n$/);
    const none = {exitCode: 0, signal: null, stdout: ''};
    assert.deepEqual(await run(['list', 'z']), {...none, stderr: 'No entry begins with this\n'});
    assert.deepEqual(await run(['list', 'z', '--json']), {...none, stderr: ''});
  });

  test('prints values on one line each, as they were written', async () => {
    await fill(['a', 'b']);
    assert.equal((await run(['list', '--values'])).stdout, 'a\t[0, 1.0]\nb\t[1, 1.0]\n');
    const lines = (await run(['list', '--values', '--json'])).stdout.trimEnd().split('\n');
    assert.equal(lines.length, 2);
    assert.match(
      lines[1] ?? '',
      /^\{"key":"b","revision":"\d","etag":"[^,]+","sizeBytes":8,"updatedAt":"[^"]+","value":\[1, 1\.0\]\}$/,
    );
    assert.deepEqual(Object.keys(JSON.parse((await run(['list', 'a', '--json'])).stdout)), [
      'key',
      'revision',
      'etag',
      'sizeBytes',
      'updatedAt',
    ]);
  });

  test('lists page after page, up to its limit', async () => {
    const keys = Array.from({length: 2100}, (_, index) => `k${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 100) await fill(keys.slice(start, start + 100));
    assert.deepEqual(await listKeys(), keys);
    assert.deepEqual(await listKeys('--limit', '1500'), keys.slice(0, 1500));
    assert.equal((await listKeys('--limit', '1000')).length, 1000);
    const {stdout} = await run(['list']);
    assert.equal(stdout.split('\n').length, keys.length + 2, 'the titles come once');
  });

  test.runIf(process.platform === 'linux')(
    'prints a table on a terminal, in which nothing moves the cursor',
    async () => {
      await fill([`a${encodeURIComponent('\u009b2J')}`]);
      const {stdout} = await runOnTerminal(['list']);
      assert.match(
        plain(stdout),
        /^KEY +REVISION +SIZE +UPDATED\na\\u009b2J +1 +8 B +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
      );
      assert.match((await runOnTerminal(['list', 'none'])).stdout, /^No entry begins with this\r\n$/);
    },
  );
});

describe('crewroom delete', () => {
  async function fill(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await fetch(`${service.url}/api/store/${key}`, {method: 'PUT', body: '1'});
  }

  test('deletes one entry, if it is as expected', async () => {
    await fill('a', 'b');
    assert.equal((await run(['delete', 'a', '--if-match', '9'])).exitCode, 4);
    assert.deepEqual(await run(['delete', 'a', '--if-match', '1']), {
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    assert.equal((await run(['delete', 'a'])).exitCode, 3);
    assert.deepEqual(JSON.parse((await run(['delete', 'b', '--json'])).stdout), {dryRun: false, deleted: 1});
  });

  test('deletes everything under a prefix', async () => {
    await fill('a1', 'a2', 'b1', 'b2');
    assert.deepEqual(JSON.parse((await run(['delete', '--prefix', 'a', '--yes', '--json'])).stdout), {
      dryRun: false,
      deleted: 2,
    });
    assert.deepEqual(await listKeys(), ['b1', 'b2']);
  });

  test('deletes nothing if the user cannot be asked', async () => {
    await fill('a');
    assert.equal((await run(['delete', '--prefix', 'a'])).exitCode, 2);
    assert.deepEqual(await listKeys(), ['a']);
  });

  describe.runIf(process.platform === 'linux')('on a terminal', () => {
    async function answer(text: string): Promise<Finished> {
      const args = ['delete', '--port', String(service.port), '--prefix', 'a'];
      const running = machine.spawnOnTerminal(args);
      await running.until(({stdout}) => stdout.includes('[y/N]'));
      running.child.stdin.write(text);
      return running.finished;
    }

    test('tells how many of thousands it would delete', async () => {
      const keys = Array.from({length: 1001}, (_, index) => `a${index}`);
      for (let start = 0; start < keys.length; start += 100) await fill(...keys.slice(start, start + 100));
      assert.match((await answer('n\n')).stdout, /Delete 1001 entries: every key that begins with "a"\? \[y\/N\] /);
    });

    test('asks first, and deletes if the user confirms', async () => {
      await fill('a1', 'a2', 'b');
      const {exitCode, stdout} = await answer('y\n');
      assert.match(stdout, /^Delete 2 entries: every key that begins with "a"\? \[y\/N\] /);
      assert.match(stdout, /Deleted 2 entries\r\n$/);
      assert.equal(exitCode, 0);
      assert.deepEqual(await listKeys(), ['b']);
    });

    for (const {name, text} of [
      {name: 'a no', text: 'n\n'},
      {name: 'an empty line', text: '\n'},
      {name: 'the end of the input', text: '\u0004'},
    ]) {
      test(`deletes nothing at ${name}`, async () => {
        await fill('a1');
        const {exitCode, stdout} = await answer(text);
        assert.match(stdout, /Nothing was deleted\r\n$/);
        assert.equal(exitCode, 1);
        assert.deepEqual(await listKeys(), ['a1']);
      });
    }
  });
});

describe('crewroom status and identity', () => {
  test('print what is served, as JSON', async () => {
    const status = JSON.parse((await run(['status', '--json'])).stdout) as Readonly<Record<string, unknown>>;
    assert.equal(status['url'], service.url);
    assert.deepEqual(status['identity'], {
      source: 'sample',
      signedIn: true,
      state: 'signed-in',
      pilot: 'captain',
      summary: 'Ada Quill (CRW0042), Crewroom Air',
      stale: false,
    });
    assert.deepEqual(
      {ready: status['ready'], state: status['storeState'], kind: status['storeKind']},
      {ready: true, state: 'read-write', kind: 'memory'},
    );
    assert.ok(typeof status['latencyMs'] === 'number');
  });

  test('name the sample as the source', async () => {
    assert.match((await run(['status'])).stdout, /Identity +Ada Quill \(CRW0042\), Crewroom Air \(the sample/);
  });

  test('print the document as it is served', async () => {
    assert.equal((await run(['identity'])).stdout, JSON.stringify(SAMPLE_DOCUMENT));
    assert.equal((await run(['identity', '--pretty'])).stdout, `${JSON.stringify(SAMPLE_DOCUMENT, null, 2)}\n`);
    assert.equal((await run(['identity', '--pretty', '--json'])).exitCode, 2);
  });

  test('print a document with its numbers as they are, also where a terminal gets it in lines', async () => {
    const text = JSON.stringify({...SAMPLE_DOCUMENT, extra: 'NUMBER'}).replace('"NUMBER"', '12345678901234567890.0');
    await writeFile(join(home, 'exact.json'), text);
    const exact = await machine.start(['--ephemeral', '--profile', 'exact.json']);
    const {stdout} = await machine.runOnTerminal(['identity', '--port', String(exact.port)]);
    assert.match(plain(stdout), /\n {2}"extra": 12345678901234567890\.0\n\}\n$/);
    assert.deepEqual(JSON.parse(stdout), JSON.parse(text));
    await exact.stop();
  });

  test('end with exit code 3 without a pilot', async () => {
    const empty = await machine.start(['--ephemeral', '--profile', 'none']);
    const {exitCode, stderr} = await machine.run(['identity', '--port', String(empty.port)]);
    assert.equal(exitCode, 3);
    assert.match(stderr, /^crewroom: Cannot tell who the pilot is: no pilot is signed in\n/);
    assert.match((await machine.run(['status', '--port', String(empty.port)])).stdout, /Identity +none/);
    await empty.stop();
  });

  test('read the address from the environment', async () => {
    const {exitCode} = await machine.run(['status'], {environment: {CREWROOM_PORT: String(service.port)}});
    assert.equal(exitCode, 0);
  });
});

describe('if no service answers', () => {
  test('every command says so, with exit code 5', async () => {
    const port = await findFreePort();
    for (const args of [
      ['status'],
      ['identity'],
      ['get', 'k'],
      ['put', 'k', '1'],
      ['patch', 'k', '{}'],
      ['touch', 'k', '--forever'],
      ['list'],
      ['watch'],
      ['delete', 'k'],
      ['reset', '--yes'],
    ]) {
      const {exitCode, stdout, stderr} = await machine.run([...args, '--port', String(port)]);
      assert.equal(exitCode, 5, args[0]);
      assert.equal(stdout, '');
      assert.equal(
        stderr,
        `crewroom: Cannot reach the service at http://127.0.0.1:${port}: nothing listens there\nStart it with "crewroom start", or name its port with --port (more: crewroom explain service-unreachable)\n`,
      );
    }
    assert.equal((await machine.runOnTerminal(['edit', 'k', '--port', String(port)])).exitCode, 5);
    const {stderr} = await machine.run(['status', '--json', '--port', String(port)]);
    assert.equal((JSON.parse(stderr) as {code: string}).code, 'service-unreachable');
  });

  test('a program that closes the connection at once is not taken for a service', async () => {
    const rude = createNetServer(socket => socket.destroy()).listen(0, '127.0.0.1');
    await once(rude, 'listening');
    const {exitCode, stderr} = await machine.run(['status', '--port', String((rude.address() as AddressInfo).port)]);
    assert.equal(exitCode, 5);
    assert.match(stderr, /^crewroom: Cannot reach the service/);
    rude.close();
  });

  test('an answer that never comes ends the wait of status, with exit code 5', async () => {
    const silent = createNetServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const {exitCode, stderr} = await machine.run(['status', '--port', String((silent.address() as AddressInfo).port)]);
    assert.equal(exitCode, 5);
    assert.match(stderr, /no answer within 5000 ms/);
    silent.close();
  });

  test('another program is not taken for the service', async () => {
    const other = createServer((_request, response) => response.end('{"name": "other"}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const {exitCode, stderr} = await machine.run(['status', '--port', String((other.address() as AddressInfo).port)]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot understand the answer 200/);
    other.close();
  });

  test('port 0 names no service', async () => {
    const {exitCode, stderr} = await machine.run(['status', '--port', '0']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /--port has to name the port of the service/);
  });
});
