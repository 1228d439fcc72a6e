import assert from 'node:assert/strict';
import {chmod, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {createMachine, plain, type Service} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
let service: Service;
let port: string;
beforeAll(async () => {
  service = await machine.start(['--ephemeral', '--value-bytes-max', '2000', '--value-depth-max', '9']);
  port = String(service.port);
  await machine.run(['put', 'there', '1', '--port', port]);
  await writeFile(join(home, 'large.json'), `"${'x'.repeat(3000)}"`);
  await writeFile(join(home, 'package.json'), '{\n  "name": "x"\n}\n');
});
afterAll(() => service.stop());

/** Failures at a prompt, with the line of the failure and the line of advice. */
const SLIPS: readonly {
  readonly name: string;
  readonly args: readonly string[];
  readonly exitCode: number;
  readonly said: RegExp;
  readonly not?: RegExp;
}[] = [
  {
    name: 'a comma before a closing bracket',
    args: ['put', 'a', '{"x":1,}'],
    exitCode: 2,
    said: /found "\}" at byte 7\nCorrect the text there: .* no comma before a closing bracket \(more: crewroom explain invalid-json\)\n$/,
    not: /quotes of its own/,
  },
  {name: 'single quotes inside an object', args: ['put', 'a', "{'x':1}"], exitCode: 2, said: /\n.*double quotes only/},
  {name: 'a patch that is no JSON', args: ['patch', 'a', '{x}'], exitCode: 2, said: /\nCorrect/, not: /put/},
  {name: 'a string without quotes', args: ['put', 'a', 'hello'], exitCode: 2, said: /\nA string needs its own quotes/},
  {
    name: 'an export into a directory that is not there',
    args: ['export', '/nonexistent-directory/x'],
    exitCode: 1,
    said: /there is no such directory\nChoose a path in a directory that exists/,
    not: /disk/,
  },
  {
    name: 'a value that is too large',
    args: ['put', 'a', '@large.json'],
    exitCode: 1,
    said: /larger than 2000 bytes\n.*"crewroom start --value-bytes-max BYTES"/,
  },
  {
    name: 'a value that nests too deep',
    args: ['put', 'a', `${'['.repeat(10)}${']'.repeat(10)}`],
    exitCode: 1,
    said: /deeper than 9 levels\n.*"crewroom start --value-depth-max LEVELS"/,
  },
  {
    name: '--if-absent over an entry',
    args: ['put', 'there', '2', '--if-absent'],
    exitCode: 4,
    said: /expected no entry, found revision 1\nLeave --if-absent out to replace the entry/,
    not: /--if-match/,
  },
  {
    name: '--if-match where no entry is',
    args: ['put', 'gone', '2', '--if-match', '1'],
    exitCode: 4,
    said: /expected revision 1, found no entry\nThe entry was deleted: leave --if-match out/,
  },
  {
    name: '--if-match with another revision',
    args: ['put', 'there', '2', '--if-match', '9'],
    exitCode: 4,
    said: /found revision 1\nLook at the entry again/,
  },
  {
    name: 'an import of something else',
    args: ['import', 'package.json'],
    exitCode: 1,
    said: /line 1: .*\nAn export begins with its header/,
    not: /Correct the line/,
  },
  {
    name: 'an import of no file',
    args: ['import', 'nofile'],
    exitCode: 3,
    said: /Cannot read "nofile": there is no such/,
  },
  {
    name: 'a snapshot that is not there',
    args: ['snapshot', 'load', 'nosuch', '--yes'],
    exitCode: 3,
    said: /the snapshot "nosuch": it does not exist\n"crewroom snapshot list"/,
  },
  {name: 'the same to delete', args: ['snapshot', 'delete', 'nosuch'], exitCode: 3, said: /it does not exist/},
];

describe('errors at a prompt are explained, with advice', () => {
  for (const {name, args, exitCode, said, not = /undefined/} of SLIPS) {
    test(name, async () => {
      const finished = await machine.run([...args, '--port', port]);
      assert.match(finished.stderr, said);
      assert.doesNotMatch(finished.stderr, not);
      assert.deepEqual([finished.exitCode, finished.stdout], [exitCode, '']);
    });
  }

  test.skipIf(process.platform === 'win32')('an edit that leaves no JSON names the place once', async () => {
    const editor = join(home, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nprintf "{\\n  ,}" > "$1"\n');
    await chmod(editor, 0o700);
    const environment = {EDITOR: editor};
    const {exitCode, stdout} = await machine.runOnTerminal(['edit', 'there', '--port', port], {environment});
    assert.equal(stdout.match(/at line 2, column 3/g)?.length, 1);
    assert.match(plain(stdout), /\nCorrect it, then store it: crewroom put /);
    assert.doesNotMatch(stdout, /at byte/);
    assert.equal(exitCode, 2);
  });
});
