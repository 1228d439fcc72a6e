import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {parseSocket} from './linux-sockets.ts';

const V4 =
  '   1: 0100007F:1C04 0100007F:AC6C 01 00000000:00000000 00:00000000 00000000  1000        0 447448 1 00000000dafe95b1 20 4 30 10 -1';
const V6 =
  '12345: 00000000000000000000000001000000:1C04 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 4294967294        0 447449 1 00000000dafe95b1 100 0 0 10 0';

describe('parseSocket()', () => {
  test('reads sockets of both address families', () => {
    assert.deepEqual(parseSocket(V4), {
      local: '0100007F:1C04',
      remote: '0100007F:AC6C',
      state: '01',
      userId: 1000,
      inode: '447448',
    });
    const {local, userId, inode} = parseSocket(V6) ?? {};
    assert.deepEqual(
      {local, userId, inode},
      {local: `${'0'.repeat(24)}01000000:1C04`, userId: 4294967294, inode: '447449'},
    );
  });

  test('reads a socket that has no process any more', () => {
    const line =
      '   3: 0100007F:8B0B 0100007F:AC6C 06 00000000:00000000 03:000003B9 00000000     0        0 0 3 00000000623824cd';
    assert.deepEqual([parseSocket(line)?.inode, parseSocket(line)?.userId], ['0', 0]);
  });

  const hostile = [
    {
      name: 'the titles',
      line: '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    },
    {name: 'nothing', line: ''},
    {name: 'a line that was cut', line: V4.slice(0, 70)},
    {name: 'a line that was cut within its user', line: V4.slice(0, 80)},
    {name: 'two lines in one', line: V4.slice(0, 20) + V4},
    {name: 'a negative user', line: V4.replace('  1000 ', '    -1 ')},
    {name: 'a user that is no number', line: V4.replace('1000', 'root')},
    {name: 'a line in lower case', line: V4.toLowerCase()},
    {name: 'other bytes', line: `\0${V4}`},
    {name: 'many spaces', line: `${' '.repeat(100_000)}${V4.replaceAll('0', ' '.repeat(1000))}`},
    {name: 'many digits', line: V4.replace('1000', '1'.repeat(100_000))},
  ];
  for (const {name, line} of hostile) test(`leaves out ${name}`, () => assert.equal(parseSocket(line), undefined));
});
