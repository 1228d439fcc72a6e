import assert from 'node:assert/strict';
import {readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeEach, describe, test, vi} from 'vitest';
import {useService} from '../support/service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
// A command in this process takes the temporary directory from the operating system.
vi.stubEnv('TMPDIR', home);
afterAll(() => void vi.unstubAllEnvs());
const service = useService({ephemeral: true});
beforeEach(async () => {
  for (const name of await keptFiles()) await rm(join(home, name), {recursive: true});
});

/** Runs a command of the service of this file on a terminal, with an editor that is a few lines of shell; `$1` is the file. */
async function run(args: readonly string[], editor = 'false', options: RunOptions = {}): Promise<Finished> {
  const finished = await machine.runOnTerminal(args, withEditor(editor, options));
  const shown = plain(finished.stdout);
  return {...finished, stdout: shown, stderr: shown};
}

function withEditor(editor: string, options: RunOptions = {}): RunOptions {
  const environment = {TMPDIR: home, CREWROOM_PORT: String(service().port), EDITOR: asEditor(editor)};
  return {...options, environment: {...environment, ...options.environment}};
}

function asEditor(script: string): string {
  return `sh -c '${script.replaceAll("'", `'\\''`)}' editor`;
}

async function put(key: string, body: string, query = ''): Promise<void> {
  const path = `/api/store/${encodeURIComponent(key)}${query}`;
  assert.ok((await fetch(service().url + path, {method: 'PUT', body})).ok);
}

async function get(key: string): Promise<Response> {
  return fetch(`${service().url}/api/store/${encodeURIComponent(key)}`);
}

/** Directories that an edit left behind. */
async function keptFiles(): Promise<readonly string[]> {
  return (await readdir(home)).filter(name => name.startsWith('crewroom-edit-'));
}

describe.runIf(process.platform !== 'win32')('crewroom edit', () => {
  test('shows the value as it is, and stores what the editor left, byte for byte', async () => {
    await put('exact', '{"id": 12345678901234567890,\n "v": 1.0}');
    const {exitCode, stderr} = await run(['edit', 'exact'], 'cp "$1" seen && sed -i s/1.0/2.00/ "$1"');
    assert.equal(exitCode, 0);
    assert.match(
      stderr,
      /^Replaced at revision 2\nTo undo this: crewroom restore --at (\w+)-1 --if-match \1-2 .*exact\n$/,
    );
    assert.equal(await readFile(join(home, 'seen'), 'utf8'), '{"id": 12345678901234567890,\n "v": 1.0}\n');
    assert.equal(await (await get('exact')).text(), '{"id": 12345678901234567890,\n "v": 2.00}');
    assert.deepEqual(await keptFiles(), []);
  });

  test('is refused without a terminal, before it asks the service', async () => {
    const {exitCode, stdout, stderr} = await machine.run(['edit', 'exact'], withEditor('touch opened'));
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, /an editor needs a terminal\nWithout one, store a value with "crewroom put KEY @FILE"/);
    assert.ok(!(await readdir(home)).includes('opened'));
  });

  test('reads what an editor wrote with a byte order mark, or in UTF-16', async () => {
    await writeFile(join(home, 'utf8'), '\ufeff[1]');
    assert.equal((await run(['edit', 'marked'], 'cat utf8 > "$1"')).exitCode, 0);
    assert.equal(await (await get('marked')).text(), '[1]');
    await writeFile(join(home, 'utf16'), Buffer.from('\ufeff[2]', 'utf16le'));
    assert.equal((await run(['edit', 'marked'], 'cat utf16 > "$1"')).exitCode, 0);
    assert.equal(await (await get('marked')).text(), '[2]');
    await writeFile(join(home, 'utf16'), Buffer.from('[3]', 'utf16le'));
    const {exitCode, stderr} = await run(['edit', 'marked'], 'cat utf16 > "$1"');
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /it is UTF-16 without a byte order mark, not UTF-8\n.*Save it as UTF-8, then store it: crewroom put/,
    );
  });

  test('indents a value on one line, and stores it without white space again', async () => {
    const compact = '{"id":9007199254740993,"id":[1.0,-0,1e400],"text":"a , {b","none":{}}';
    const shown =
      '{\n  "id": 9007199254740993,\n  "id": [\n    1.0,\n    -0,\n    1e400\n  ],\n  "text": "a , {b",\n  "none": {}\n}\n';
    await put('compact', compact);
    assert.match((await run(['edit', 'compact'], 'cp "$1" seen')).stderr, /^Nothing was changed\n$/);
    assert.equal(await readFile(join(home, 'seen'), 'utf8'), shown);
    assert.equal((await run(['edit', 'compact'], 'sed -i s/9007199254740993/9007199254740995/ "$1"')).exitCode, 0);
    assert.equal(await (await get('compact')).text(), compact.replace('9007199254740993', '9007199254740995'));
  });

  test('gives the value a file that only this user can read, named for what it is', async () => {
    await put('../a b/-c', '1');
    await run(['edit', '../a b/-c'], 'echo "$1" > path; stat -c %a "$1" "$(dirname "$1")" > modes');
    assert.match(await readFile(join(home, 'path'), 'utf8'), /\/crewroom-edit-\w+\/a-b--c\.json\n$/);
    assert.equal(await readFile(join(home, 'modes'), 'utf8'), '600\n700\n');
  });

  test('prefers VISUAL, and takes its arguments apart as a shell does', async () => {
    await put('visual', '1');
    const environment = {VISUAL: `sh -c 'echo "2 $1" | tr -dc 2 > "$2"' editor "an argument"`};
    assert.equal((await run(['edit', 'visual'], 'false', {environment})).exitCode, 0);
    assert.equal(await (await get('visual')).text(), '2');
  });

  test('stores nothing where nothing was changed', async () => {
    await put('same', ' [1, 2] ');
    const before = (await get('same')).headers.get('etag');
    for (const editor of ['true', 'echo " [1, 2]" > "$1"'])
      assert.match((await run(['edit', 'same'], editor)).stdout, /^Nothing was changed\n$/);
    assert.equal((await get('same')).headers.get('etag'), before);
    assert.deepEqual(await keptFiles(), []);
  });

  test('creates a missing entry, from null', async () => {
    const {stderr} = await run(['edit', 'new'], 'cp "$1" seen; echo "[]" > "$1"');
    assert.match(stderr, /^Created at revision (\d+)\nTo undo this: crewroom delete --if-match \w+-\1 .*new\n$/);
    assert.equal(await readFile(join(home, 'seen'), 'utf8'), 'null\n');
    assert.equal(await (await get('new')).text(), '[]');
    assert.match((await run(['edit', 'other'], 'true')).stderr, /^Nothing was changed\n$/);
    assert.equal((await get('other')).status, 404);
  });

  test('keeps the time to live', async () => {
    await put('lives', '1', '?ttlSeconds=600');
    const before = Date.parse((await get('lives')).headers.get('expires-at') ?? '');
    await run(['edit', 'lives'], 'echo 2 > "$1"');
    const after = await get('lives');
    assert.equal(await after.text(), '2');
    const movedMs = Date.parse(after.headers.get('expires-at') ?? '') - before;
    assert.ok(Math.abs(movedMs) <= 2000, `it moved by ${movedMs} ms`);
  });

  test('stores nothing over a write of another client, and says how to continue', async () => {
    await put('raced', '1');
    const race = `curl -sX PUT ${service().url}/api/store/raced -d 2; echo 3 > "$1"`;
    const finished = await machine.spawnOnTerminal(['edit', 'raced'], withEditor(race)).finished;
    assert.equal(finished.exitCode, 4);
    const stderr = plain(finished.stdout);
    assert.match(stderr, /crewroom: Cannot change "raced": expected revision \d+, found revision \d+\n/);
    assert.equal(await (await get('raced')).text(), '2');
    const [, advised = ''] = /then store it: crewroom (.*)\n$/.exec(stderr) ?? [];
    const [file = ''] = /@\S+/.exec(advised) ?? [];
    assert.equal(await readFile(file.slice(1), 'utf8'), '3\n');
    assert.equal((await stat(file.slice(1))).mode & 0o777, 0o600);
    assert.equal((await run(advised.split(' '))).exitCode, 0, 'what is advised works');
    assert.equal(await (await get('raced')).text(), '3');
  });

  test('stores nothing over what was deleted, or made, meanwhile', async () => {
    await put('gone', '1');
    const remove = await run(['edit', 'gone'], `curl -sX DELETE ${service().url}/api/store/gone; echo 3 > "$1"`);
    assert.equal(remove.exitCode, 4);
    assert.match(remove.stderr, /to store it anyway: crewroom put --if-absent gone @/);
    const make = await run(['edit', 'made'], `curl -sX PUT ${service().url}/api/store/made -d 2; echo 3 > "$1"`);
    assert.equal(make.exitCode, 4);
    assert.match(
      make.stderr,
      /look at the new one \(crewroom get made\), then store it: crewroom put --if-match \d+ made @/,
    );
    assert.deepEqual([(await get('gone')).status, await (await get('made')).text()], [404, '2']);
  });

  test('keeps text that is not JSON, and names the position of the error', async () => {
    await put('broken', '{"a": 1}');
    const {exitCode, stderr} = await run(['edit', 'broken'], 'printf "{\\n  x" > "$1"');
    assert.equal(exitCode, 2);
    assert.match(stderr, /found "x" at line 2, column 3\. Open it again\? /);
    const [, file = ''] = /crewroom put --if-match \d+ broken @(\S+)\n$/.exec(stderr) ?? [];
    assert.equal(await readFile(file, 'utf8'), '{\n  x');
    assert.equal(await (await get('broken')).text(), '{"a": 1}');
  });

  test('keeps the edited text if the service has stopped meanwhile', async () => {
    const doomed = await machine.start();
    await fetch(`${doomed.url}/api/store/k`, {method: 'PUT', body: '1'});
    const editor = `kill ${doomed.child.pid}; while curl -s ${doomed.url}/livez > /dev/null; do :; done; echo 2 > "$1"`;
    const {exitCode, stderr} = await run(['edit', 'k', '--port', String(doomed.port)], editor);
    assert.equal(exitCode, 5);
    assert.match(stderr, /to store it: crewroom put --if-match 1 k @\S+\n$/);
    assert.equal((await keptFiles()).length, 1);
  });

  const broken = [
    {name: 'is not there', editor: undefined, said: /"nosucheditor" wrote: there is no such command\n/},
    {name: 'fails', editor: 'exit 3', said: /it ended with exit code 3\n/},
    {name: 'is killed', editor: 'kill -9 $$', said: /it (was ended by SIGKILL|ended with exit code 137)\n/},
  ];
  for (const {name, editor, said} of broken) {
    test(`stores nothing and leaves nothing when the editor ${name}`, async () => {
      const environment = editor === undefined ? {EDITOR: 'nosucheditor'} : {};
      const {exitCode, stderr} = await run(['edit', 'exact'], editor, {environment});
      assert.equal(exitCode, 2);
      assert.match(stderr, said);
      assert.match(stderr, /\nSet VISUAL or EDITOR to an editor that waits/);
      assert.deepEqual(await keptFiles(), []);
    });
  }

  describe.runIf(process.platform === 'linux')('on a terminal', () => {
    /** Edits with an editor that first writes what is no JSON, and then something else. */
    async function editTwice(): Promise<ReturnType<typeof machine.spawnOnTerminal>> {
      await put('again', '1');
      await writeFile(join(home, 'next'), '{');
      const editor = 'cp next "$1"; printf "[1]" > next; echo edited';
      const running = machine.spawnOnTerminal(['edit', 'again'], withEditor(editor));
      await running.until(({stdout}) => stdout.includes('Open it again?'));
      return running;
    }

    test('offers to edit text that is not JSON again, and stores it once it is', async () => {
      const running = await editTwice();
      running.child.stdin.write('y\n');
      const {exitCode, stdout} = await running.finished;
      assert.equal(exitCode, 0);
      assert.match(plain(stdout), /found the end of the text at line 1, column 2\. Open it again\? \[y\/N\] /);
      assert.match(plain(stdout), /edited\nReplaced at revision \d+\nTo undo this: .*\n$/);
      assert.equal(await (await get('again')).text(), '[1]');
    });

    test('keeps it if the user declines', async () => {
      const running = await editTwice();
      running.child.stdin.write('n\n');
      const {exitCode, stdout} = await running.finished;
      assert.equal(exitCode, 2);
      assert.match(plain(stdout), /Correct it, then store it: crewroom put --if-match \d+ again @\S+\n$/);
      assert.equal((await keptFiles()).length, 1);
    });
  });
});

describe.runIf(process.platform !== 'win32')('crewroom edit, as on macOS', () => {
  test('keeps the file of an editor that returned at once, and names the command that stores it', async () => {
    await put('CON', '1');
    const {exitCode, stderr} = await run(['edit', 'CON'], 'true', {platform: 'darwin'});
    assert.equal(exitCode, 0);
    assert.match(stderr, /ended at once.*crewroom put --if-match \d+ CON @\S+\/key-CON\.json\n/s);
    assert.equal((await keptFiles()).length, 1);
  });
});
