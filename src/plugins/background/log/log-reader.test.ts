import assert from 'node:assert/strict';
import {once} from 'node:events';
import {PassThrough} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import {describe, test} from 'vitest';
import {ManualTimers} from '../../../../test/support/background.ts';
import {LogReader} from './log-reader.ts';

function openReader() {
  const timers = new ManualTimers();
  const lines: string[] = [];
  const reader = new LogReader({
    mask: text => text.toUpperCase(),
    onLine: ({loggedAtMs, level, text}) => lines.push(`${loggedAtMs} ${level} ${text}`),
    nowMs: () => 7,
    timers,
  });
  const output = new PassThrough();
  const errors = new PassThrough();
  reader.read(output, 'info');
  reader.read(errors, 'error');
  return {timers, lines, reader, output, errors};
}

describe('LogReader', () => {
  test('masks the lines of both streams, each at its level', async () => {
    const {lines, reader, output, errors} = openReader();
    output.end('one\ntw');
    errors.end('three\n');
    await reader.end();
    assert.deepEqual(lines, ['7 info ONE', '7 error THREE', '7 info TW']);
  });

  const STACK = 'Error: no luck\n    at f (background/index.js:1:2)\n    at async g (x.js:3:4) {\n  code: 7\n}';
  const AT = '    at f (x.js:1:2)';
  const together: readonly {readonly what: string; readonly written: string; readonly entries: readonly string[]}[] = [
    {what: 'the lines of a stack', written: `before\n${STACK}\nafter\n`, entries: ['before', STACK, 'after']},
    {what: 'two stacks apart', written: `${STACK}\n${STACK}\n`, entries: [STACK, STACK]},
    {
      what: 'a message of several lines with its stack',
      written: `before\nTypeError: one\n\n  two\n${AT}\nafter\n`,
      entries: ['before', `TypeError: one\n\n  two\n${AT}`, 'after'],
    },
    {
      what: 'two errors with messages of several lines, after words of the program and with a code',
      written: `Failed: Error: one\ntwo\n${AT} {\n  code: 7\n}\nRangeError [ERR_X]: three\nfour\n${AT}\n`,
      entries: [`Failed: Error: one\ntwo\n${AT} {\n  code: 7\n}`, `RangeError [ERR_X]: three\nfour\n${AT}`],
    },
    {
      what: 'a stack with the nearest error before it',
      written: `Error: handled\nError: one\ntwo\n${AT}\n`,
      entries: ['Error: handled', `Error: one\ntwo\n${AT}`],
    },
    {
      what: 'no lines before a stack whose error has no name, nor those beyond another stack',
      written: `${STACK}\nplain\nmine\n${AT}\n`,
      entries: [STACK, 'plain', `mine\n${AT}`],
    },
    {
      what: 'a message that quotes several lines, with a stack that begins in the engine',
      written: 'SyntaxError: Unexpected token \'x\', "{\nx" is not valid JSON\n    at JSON.parse (<anonymous>)\n',
      entries: ['SyntaxError: Unexpected token \'x\', "{\nx" is not valid JSON\n    at JSON.parse (<anonymous>)'],
    },
    {
      what: 'no earlier error with a stack that has a head of its own',
      written: `Error: handled\nTrace: here\n${AT}\n`,
      entries: ['Error: handled', `Trace: here\n${AT}`],
    },
    {
      what: 'no lines before a line that only looks like a position',
      written: 'Error: late\nThe next is\n    at the gate\n',
      entries: ['Error: late', 'The next is\n    at the gate'],
    },
    {
      what: 'not more than 20 lines of a message',
      written: `Error: ${'x\n'.repeat(21)}${AT}\n`,
      entries: ['Error: x', ...Array<string>(19).fill('x'), `x\n${AT}`],
    },
    {what: 'a stack of Windows', written: `${STACK.replaceAll('\n', '\r\n')}\r\n`, entries: [STACK]},
    {what: 'indented lines without a stack apart', written: 'a\n  b\n}\n', entries: ['a', '  b', '}']},
    {
      what: 'a stack without a line before it',
      written: '    at f (x.js:1:2)\nx\n',
      entries: ['    at f (x.js:1:2)', 'x'],
    },
    {
      what: 'not more than 100 lines',
      written: `Error\n${'    at f (x.js:1:2)\n'.repeat(150)}`,
      entries: [
        `Error${'\n    at f (x.js:1:2)'.repeat(99)}`,
        `    at f (x.js:1:2)${'\n    at f (x.js:1:2)'.repeat(50)}`,
      ],
    },
  ];
  for (const {what, written, entries} of together)
    test(`keeps in one entry ${what}`, async () => {
      const {lines, reader, output, errors} = openReader();
      output.end();
      errors.end(written);
      await reader.end();
      assert.deepEqual(
        lines,
        entries.map(entry => `7 error ${entry.toUpperCase()}`),
      );
    });

  test('drops lines above a thousand in a second, and counts them', async () => {
    const {timers, lines, output} = openReader();
    output.write('x\n'.repeat(1005));
    await setImmediate();
    assert.equal(lines.length, 1000);
    assert.equal(timers.fire(1000), 1);
    assert.equal(lines.at(-1), '7 error Lines dropped, since there were too many in a second: 5');
    output.write('y\n');
    await setImmediate();
    assert.equal(lines.at(-1), '7 info Y');
  });

  test('drops lines above a mebibyte of text in a second', async () => {
    const {timers, lines, output} = openReader();
    for (let line = 0; line < 30; line++) output.write(`${'x'.repeat(64 * 1024)}\n`);
    output.end();
    await once(output, 'end');
    timers.fire(1000);
    assert.deepEqual(
      [lines.length, lines.at(-1)],
      [17, '7 error Lines dropped, since there were too many in a second: 14'],
    );
  });

  test('counts the lines that were dropped in the last second of a process', async () => {
    const {lines, reader, output, errors} = openReader();
    output.end('x\n'.repeat(1001));
    errors.end();
    await reader.end();
    assert.equal(lines.at(-1), '7 error Lines dropped, since there were too many in a second: 1');
  });

  test('reads no further in a second in which it read 16 MiB, and continues in the next', async () => {
    const {timers, output} = openReader();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let mebibytes = 0; mebibytes < 16; mebibytes++) {
      output.write(chunk);
      await setImmediate();
    }
    assert.equal(output.isPaused(), false);
    output.write(chunk);
    await setImmediate();
    assert.equal(output.isPaused(), true);
    timers.fire(1000);
    assert.equal(output.isPaused(), false);
  });

  test('waits no longer than a second for a stream that another process holds', async () => {
    const {timers, lines, reader, output, errors} = openReader();
    errors.end();
    output.write('x');
    await setImmediate();
    const ended = reader.end();
    assert.ok(timers.fire(1000) > 0);
    await ended;
    assert.deepEqual(lines, ['7 info X']);
  });
});
