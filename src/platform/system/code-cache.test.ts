import {createHash} from 'node:crypto';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {Script} from 'node:vm';
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {loadProgram} from './code-cache.ts';

let directory = '';
let file = '';

beforeEach(() => {
  const place = mkdtempSync(join(tmpdir(), 'code-cache-'));
  onTestFinished(() => rmSync(place, {recursive: true}));
  directory = mkdtempSync(join(place, 'cache-'));
  file = join(place, 'program.cjs');
});

function writeProgram(answer: string): void {
  const body = `exports.answer = () => '${answer}';\nexports.join = require('node:path').join;\n`;
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) {${body}})`);
}

function built(): {readonly file: string; readonly digest: string} {
  return {file, digest: createHash('sha256').update(readFileSync(file)).digest('hex')};
}

/** Runs the program like one start of it. */
function start(): string {
  const {exports, keep} = loadProgram<{readonly answer: () => string}>(built(), directory);
  const answer = exports.answer();
  keep();
  return answer;
}

function kept(): string {
  const names = readdirSync(directory);
  expect(names).toHaveLength(1);
  return join(directory, names[0] ?? '');
}

describe('loadProgram()', () => {
  test('keeps the code of a program, and leaves it at the next start', () => {
    writeProgram('one');
    expect(start()).toBe('one');
    const bytes = readFileSync(kept());
    expect(start()).toBe('one');
    expect(readFileSync(kept())).toEqual(bytes);
  });

  test('keeps the code of each program in files of its own', () => {
    for (const name of ['program', 'service']) {
      file = join(dirname(file), `${name}.cjs`);
      writeProgram('one');
      start();
    }
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^program-/), expect.stringMatching(/^service-/)]);
  });

  test('runs a program that was replaced by one of the same length', () => {
    writeProgram('one');
    start();
    writeProgram('two');
    expect(start()).toBe('two');
    expect(start()).toBe('two');
  });

  const DAMAGE: readonly {readonly name: string; readonly damage: (bytes: Buffer) => Uint8Array}[] = [
    {name: 'is empty', damage: () => new Uint8Array()},
    {name: 'is cut off', damage: bytes => bytes.subarray(0, -1)},
    {name: 'has another digest', damage: bytes => Buffer.concat([Buffer.alloc(32), bytes.subarray(32)])},
    {name: 'has other code', damage: bytes => Buffer.concat([bytes.subarray(0, 32), Buffer.from('other code')])},
    {
      name: 'has one changed byte',
      damage: bytes => bytes.map((byte, at) => (at === bytes.length - 9 ? byte ^ 1 : byte)),
    },
  ];
  for (const {name, damage} of DAMAGE)
    test(`ignores a file that ${name}, and replaces it`, () => {
      writeProgram('one');
      start();
      const damaged = damage(readFileSync(kept()));
      writeFileSync(kept(), damaged);
      expect(start()).toBe('one');
      expect(readFileSync(kept())).not.toEqual(Buffer.from(damaged));
      expect(start()).toBe('one');
    });

  test('works if nothing can be kept', () => {
    writeProgram('one');
    directory = join(directory, 'missing');
    expect(start()).toBe('one');
  });

  test('works if V8 does not give its code', () => {
    writeProgram('one');
    const {createCachedData} = Script.prototype;
    onTestFinished(() => void Object.assign(Script.prototype, {createCachedData}));
    Script.prototype.createCachedData = () => {
      throw new Error('out of memory');
    };
    expect(start()).toBe('one');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('loads without a cache', () => {
    writeProgram('one');
    expect(loadProgram<{readonly answer: () => string}>(built(), undefined).exports.answer()).toBe('one');
  });
});
